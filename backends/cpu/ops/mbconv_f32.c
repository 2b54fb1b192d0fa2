/* Op mbconv_f32: expand, filter each channel, project, a strip of rows at a time.
 * Rows of the expanded picture lie in a ring and are computed once (once a lane
 * where lanes meet); neither it nor the filtered picture leaves the cache. Of blocks
 * that follow one another, rows are made as the last one asks for them, so what lies
 * between two blocks is never there as a whole. */
#include "backends/cpu/ops/mbconv_f32.h"

#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_gemm_f32_function *const product_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f32);
static et_cpu_conv_f32_function *const convolution_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_f32);
static et_cpu_conv_planar_f32_function *const plane_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_planar_f32);
static et_cpu_dwconv_f32_function *const depthwise_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_dwconv_f32);

/* One block in a lane's own memory. */
typedef struct stage {
  et_cpu_block block;
  float *ring;
  float *filtered; /* a strip of rows */
  float *row;      /* of the output, which the next block reads */
  size_t next;     /* row of the expanded picture that is not computed yet */
} stage;

/* One lane's share: some rows of the output. */
typedef struct lane {
  stage stages[ET_CPU_CHAINED_BLOCKS];
  size_t count;
  size_t image;
  uint8_t isa;
} lane;

/* Rows that a stage makes, and where. */
typedef struct strip {
  size_t begin, end;
  float *out;
  const float *residual; /* or NULL */
} strip;

static void run_strip(lane *l, size_t index, const strip *at);

static float *ring_row(const stage *s, size_t row) {
  const et_cpu_block *b = &s->block;
  return s->ring + row % b->ring * b->filter.window.width * b->filter.channels;
}

/* A row that block `index` reads: of x, or what the block before makes. */
static const float *row_before(lane *l, size_t index, size_t row) {
  const et_cpu_conv *c = &l->stages[index].block.expand;
  if (index == 0) {
    const size_t rows = l->image * c->window.height + row;
    return c->x + rows * c->window.width * c->channels;
  }
  const strip at = {row, row + 1, l->stages[index - 1].row, NULL};
  run_strip(l, index - 1, &at);
  return at.out;
}

/* Rows of the expanded picture as a product of rows. */
static void expand_point(lane *l, size_t index, size_t row, size_t rows) {
  const stage *s = &l->stages[index];
  const et_cpu_conv *c = &s->block.expand;
  const et_cpu_gemm product = {.x = row_before(l, index, row),
                               .panels = c->panels,
                               .bias = c->bias,
                               .out = ring_row(s, row),
                               .depth = c->channels,
                               .columns = c->columns,
                               .activation = c->activation};
  const et_cpu_range range = {0, rows * c->window.width, 0, c->columns};
  product_variants[l->isa](&product, &range);
}

static void expand_window(const lane *l, const stage *s, size_t row) {
  const et_cpu_conv *c = &s->block.expand;
  const size_t width = c->window.out_width;
  const size_t first = (l->image * c->window.out_height + row) * width;
  for (size_t x = 0; x < width; x += ET_CPU_CONV_PIXELS) {
    const et_cpu_pixels pixels = {
        .first_pixel = first + x,
        .pixels =
            et_cpu_part(width, ET_CPU_CONV_PIXELS, x / ET_CPU_CONV_PIXELS),
        .columns = c->columns,
        .out = ring_row(s, row) + x * c->columns};
    convolution_variants[l->isa](c, &pixels);
  }
}

/* How many of `most` rows are one product: those that lie one behind the other in x and in
 * the ring. What the block before makes comes row by row. */
static size_t rows_of_product(const stage *s, size_t index, size_t row,
                              size_t most) {
  const size_t left = s->block.ring - row % s->block.ring;
  return index > 0 ? 1 : left < most ? left : most;
}

/* Returns how many rows it has expanded, of `most`, from `row` on. */
static size_t expand_rows(lane *l, size_t index, size_t row, size_t most) {
  const stage *s = &l->stages[index];
  const et_cpu_conv *c = &s->block.expand;
  size_t rows = 1;
  switch (s->block.form) {
    case ET_CPU_EXPAND_POINT:
      rows = rows_of_product(s, index, row, most);
      expand_point(l, index, row, rows);
      break;
    case ET_CPU_EXPAND_PLANES:
      plane_variants[l->isa](c, l->image * c->window.out_height + row,
                             ring_row(s, row), NULL);
      break;
    default:
      expand_window(l, s, row);
      break;
  }
  return rows;
}

/* Computes the rows of the expanded picture that output rows up to before `end`
 * read, from `begin` on, as far as they are not there. */
static void fill_ring(lane *l, size_t index, size_t begin, size_t end) {
  stage *s = &l->stages[index];
  const et_cpu_window *w = &s->block.filter.window;
  const size_t first = begin * w->stride_y;
  const size_t last =
      (end - 1) * w->stride_y + (w->kernel_y - 1) * w->dilation_y + 1;
  const size_t skip = first < w->top ? 0 : first - w->top;
  const size_t below = last < w->top ? 0 : last - w->top;
  const size_t stop = below < w->height ? below : w->height;
  s->next = s->next < skip ? skip : s->next;
  while (s->next < stop) {
    s->next += expand_rows(l, index, s->next, stop - s->next);
  }
}

static void filter_row(const lane *l, const stage *s, size_t row, float *out) {
  const et_cpu_dwconv *filter = &s->block.filter;
  const et_cpu_window *w = &filter->window;
  const float *rows[ET_CPU_MBCONV_ROWS];
  const et_cpu_channels all = {0, filter->channels};
  size_t y = row * w->stride_y - w->top;
  for (size_t i = 0; i < w->kernel_y; i++, y += w->dilation_y) {
    rows[i] = y < w->height ? ring_row(s, y) : NULL;
  }
  depthwise_variants[l->isa](filter, rows, out, all);
}

/* Some rows of one image. Each block asks the one before it for rows: as deep as
 * there are blocks. */
static void run_strip(lane *l, size_t index, const strip *at) {
  const stage *s = &l->stages[index];
  const et_cpu_dwconv *filter = &s->block.filter;
  const size_t width = filter->window.out_width;
  fill_ring(l, index, at->begin, at->end);
  for (size_t y = at->begin; y < at->end; y++) {
    filter_row(l, s, y,
               s->filtered + (y - at->begin) * width * filter->channels);
  }
  et_cpu_gemm project = s->block.project;
  project.x = s->filtered;
  project.out = at->out;
  project.residual = at->residual;
  const et_cpu_range range = {0, (at->end - at->begin) * width, 0,
                              project.columns};
  product_variants[l->isa](&project, &range);
}

/* Rows begin to before `end` of the last block's output. */
static void run_last(lane *l, size_t begin, size_t end) {
  const et_cpu_block *b = &l->stages[l->count - 1].block;
  const et_cpu_gemm *project = &b->project;
  const size_t first = (l->image * b->filter.window.out_height + begin) *
                       b->filter.window.out_width * project->columns;
  const strip at = {begin, end, project->out + first,
                    project->residual == NULL ? NULL
                                              : project->residual + first};
  run_strip(l, l->count - 1, &at);
}

static void begin_image(lane *l, size_t image) {
  l->image = image;
  for (size_t i = 0; i < l->count; i++) {
    l->stages[i].next = 0;
  }
}

/* Strips of several rows that lie in one image. */
static void run_rows(lane *l, size_t begin, size_t end) {
  const et_cpu_block *b = &l->stages[l->count - 1].block;
  const size_t height = b->filter.window.out_height;
  for (size_t row = begin; row < end;) {
    const size_t y = row % height;
    const size_t left = height - y < end - row ? height - y : end - row;
    const size_t rows = left < b->rows ? left : b->rows;
    if (y == 0 || row == begin) {
      begin_image(l, row / height);
    }
    run_last(l, y, y + rows);
    row += rows;
  }
}

typedef struct work {
  const et_cpu_op *op;
  size_t rows; /* of the output, over all images */
  size_t lanes;
  uint8_t isa;
} work;

/* Gives the block its memory. */
static void lay_stage(stage *s, float *room) {
  const et_cpu_window *w = &s->block.filter.window;
  const size_t channels = s->block.filter.channels;
  s->ring = room;
  s->filtered = s->ring + s->block.ring * w->width * channels;
  s->row = s->filtered + s->block.rows * w->out_width * channels;
}

static float *behind(const stage *s) {
  return s->row + s->block.filter.window.out_width * s->block.project.columns;
}

static void run_lane(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *space = w->op->tensors[w->op->input_count + 1];
  float *const room = (float *)space->data + index * (size_t)space->sizes[1];
  lane l = {.count = et_cpu_chained_blocks(w->op), .isa = w->isa};
  for (size_t i = 0; i < l.count; i++) {
    l.stages[i].block = et_cpu_read_block(w->op, i);
    lay_stage(&l.stages[i], i == 0 ? room : behind(&l.stages[i - 1]));
  }
  run_rows(&l, w->rows * index / w->lanes, w->rows * (index + 1) / w->lanes);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *y = op->tensors[op->input_count];
  const et_cpu_tensor *space = op->tensors[op->input_count + 1];
  work w = {.op = op,
            .rows = (size_t)y->sizes[0] * (size_t)y->sizes[1],
            .lanes = et_cpu_lanes(run, (size_t)space->sizes[0]),
            .isa = run->isa};
  if (y->numel > 0) {
    et_cpu_for_each(run, w.lanes, run_lane, &w);
  }
}

static const et_cpu_op_type op_type = {"mbconv_f32", et_cpu_check_block, run, 0,
                                       NULL};
const et_backend_part et_cpu_op_mbconv_f32 = {ET_CPU_OP_MBCONV_F32, &op_type};
