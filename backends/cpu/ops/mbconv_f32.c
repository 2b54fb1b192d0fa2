/* Op mbconv_f32: inverted residuals (expand, depthwise convolution, project), computed a few rows
 * at a time. A ring buffer holds the rows of the expanded image that the depthwise window reads.
 * Each row is computed once, except where the ranges of two threads meet. Neither the expanded nor
 * the filtered image leaves the cache. In a chain of blocks, each block computes a row when the
 * next one reads it, so the image between two blocks is never stored as a whole. */
#include "backends/cpu/ops/mbconv_f32.h"

#include "backends/cpu/ops/chunks.h"

static et_cpu_gemm_f32_function *const gemm_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f32);
static et_cpu_conv_f32_function *const conv_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_f32);
static et_cpu_conv_planar_f32_function *const
    planar_variants[ET_CPU_ISA_COUNT] = ET_CPU_VARIANTS(et_cpu_conv_planar_f32);
static et_cpu_dwconv_f32_function *const dwconv_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_dwconv_f32);

/* A block, with its part of a thread's workspace. */
typedef struct stage {
  et_cpu_block block;
  float *ring;
  float *filtered; /* rows of the filtered image */
  float *row;      /* a row of the output, for the next block */
  size_t next; /* first row of the expanded image that has not been computed */
} stage;

/* State of one thread, which computes a range of rows of the output. */
typedef struct lane {
  stage stages[ET_CPU_MBCONV_MAX_BLOCKS];
  size_t count;
  size_t image;
  uint8_t isa;
} lane;

/* A range of rows of an output, and their destination. */
typedef struct row_tile {
  size_t begin, end;
  float *out;
  const float *residual; /* or NULL */
} row_tile;

static void run_row_tile(lane *l, size_t index, const row_tile *at);

static float *ring_row(const stage *s, size_t row) {
  const et_cpu_block *b = &s->block;
  return s->ring + row % b->ring * b->filter.window.width * b->filter.channels;
}

/* Returns an input row of block `index`. It is a row of x or of the previous block's output. */
static const float *row_before(lane *l, size_t index, size_t row) {
  const et_cpu_conv *c = &l->stages[index].block.expand;
  if (index == 0) {
    const size_t rows = l->image * c->window.height + row;
    return c->x + rows * c->window.width * c->channels;
  }
  const row_tile at = {row, row + 1, l->stages[index - 1].row, NULL};
  run_row_tile(l, index - 1, &at);
  return at.out;
}

/* Expands rows by a GEMM. */
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
  gemm_variants[l->isa](&product, &range);
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
    conv_variants[l->isa](c, &pixels);
  }
}

/* Returns how many of `max` rows one GEMM can compute. These rows are consecutive in x and in the
 * ring. If there is a previous block, the result is 1, because that block computes one row at a
 * time. */
static size_t rows_of_gemm(const stage *s, size_t index, size_t row,
                           size_t max) {
  const size_t left = s->block.ring - row % s->block.ring;
  return index > 0 ? 1 : left < max ? left : max;
}

/* Expands at most `max` rows, starting at `row`. Returns the number of expanded rows. */
static size_t expand_rows(lane *l, size_t index, size_t row, size_t max) {
  const stage *s = &l->stages[index];
  const et_cpu_conv *c = &s->block.expand;
  size_t rows = 1;
  switch (s->block.form) {
    case ET_CPU_EXPAND_POINT:
      rows = rows_of_gemm(s, index, row, max);
      expand_point(l, index, row, rows);
      break;
    case ET_CPU_EXPAND_PLANAR:
      planar_variants[l->isa](c, l->image * c->window.out_height + row,
                              ring_row(s, row), NULL);
      break;
    default:
      expand_window(l, s, row);
      break;
  }
  return rows;
}

/* Computes the rows of the expanded image that output rows `begin` to `end - 1` need, except those
 * that are already in the ring. */
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
  const float *rows[ET_CPU_MBCONV_MAX_ROWS];
  const et_cpu_channels all = {0, filter->channels};
  size_t y = row * w->stride_y - w->top;
  for (size_t i = 0; i < w->kernel_y; i++, y += w->dilation_y) {
    rows[i] = y < w->height ? ring_row(s, y) : NULL;
  }
  dwconv_variants[l->isa](filter, rows, out, all);
}

/* Computes rows of one image. It is recursive: each block requests rows from the previous one. */
static void run_row_tile(lane *l, size_t index, const row_tile *at) {
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
  gemm_variants[l->isa](&project, &range);
}

/* Computes rows `begin` to `end - 1` of the output of the last block. */
static void run_last(lane *l, size_t begin, size_t end) {
  const et_cpu_block *b = &l->stages[l->count - 1].block;
  const et_cpu_gemm *project = &b->project;
  const size_t first = (l->image * b->filter.window.out_height + begin) *
                       b->filter.window.out_width * project->columns;
  const row_tile at = {begin, end, project->out + first,
                       project->residual == NULL ? NULL
                                                 : project->residual + first};
  run_row_tile(l, l->count - 1, &at);
}

static void begin_image(lane *l, size_t image) {
  l->image = image;
  for (size_t i = 0; i < l->count; i++) {
    l->stages[i].next = 0;
  }
}

/* Computes rows of the output, counted over all images, in row tiles that do not cross images. */
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
  et_cpu_mbconv_f32_args args;
  size_t rows; /* rows of the output, over all images */
  size_t lanes;
  uint8_t isa;
} work;

/* Assigns the memory of a stage, starting at `workspace`. Returns its end. */
static float *assign_workspace(stage *s, float *workspace) {
  const et_cpu_window *w = &s->block.filter.window;
  const size_t channels = s->block.filter.channels;
  s->ring = workspace;
  s->filtered = s->ring + s->block.ring * w->width * channels;
  s->row = s->filtered + s->block.rows * w->out_width * channels;
  return s->row + w->out_width * s->block.project.columns;
}

static void run_lane(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *workspace = w->args.workspace;
  float *at = (float *)workspace->data + index * (size_t)workspace->sizes[1];
  lane l = {.count = w->args.attributes.blocks_count, .isa = w->isa};
  for (size_t i = 0; i < l.count; i++) {
    l.stages[i].block = et_cpu_mbconv_block_of(&w->args, i);
    at = assign_workspace(&l.stages[i], at);
  }
  run_rows(&l, et_first_of_part(w->rows, index, w->lanes),
           et_first_of_part(w->rows, index + 1, w->lanes));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_mbconv_f32_args args = et_cpu_mbconv_f32_args_of(op);
  const et_cpu_tensor *y = args.y;
  work w = {.args = args,
            .rows = (size_t)y->sizes[0] * (size_t)y->sizes[1],
            .lanes = et_cpu_lanes(run, (size_t)args.workspace->sizes[0]),
            .isa = run->isa};
  if (y->numel > 0) {
    et_cpu_for_each(run, w.lanes, run_lane, &w);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_mbconv_f32_schema,
                                       et_cpu_check_mbconv, run};
const et_backend_part et_cpu_op_mbconv_f32 = {ET_CPU_OP_MBCONV_F32, &op_type};
