/* Step block: expand, filter each channel, project, a strip of rows at a time.
 * Rows of the expanded picture lie in a ring and are computed once (once a lane
 * where lanes meet); neither it nor the filtered picture leaves the cache. */
#include "backends/cpu/steps/block.h"

#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_product_f32_function *const product_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_f32);
static et_cpu_convolution_f32_function *const
    convolution_variants[ET_CPU_ISA_COUNT] =
        ET_CPU_VARIANTS(et_cpu_convolution_f32);
static et_cpu_planes_f32_function *const plane_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_planes_f32);
static et_cpu_depthwise_f32_function *const
    depthwise_variants[ET_CPU_ISA_COUNT] =
        ET_CPU_VARIANTS(et_cpu_depthwise_f32);

/* One lane's share: some rows of the output, in its own memory. */
typedef struct lane {
  const et_cpu_block *block;
  float *ring;
  float *filtered; /* a strip of rows */
  size_t image;
  size_t next; /* row of the expanded picture that is not computed yet */
  uint8_t isa;
} lane;

static float *ring_row(const lane *l, size_t row) {
  const et_cpu_block *b = l->block;
  return l->ring + row % b->ring * b->filter.window.width * b->filter.channels;
}

/* A row of the expanded picture as a product of a row of x. */
static void expand_point(const lane *l, size_t row) {
  const et_cpu_convolution *c = &l->block->expand;
  const size_t width = c->window.width;
  const et_cpu_product product = {
      .x = c->x + (l->image * c->window.height + row) * width * c->channels,
      .panels = c->panels,
      .bias = c->bias,
      .out = ring_row(l, row),
      .depth = c->channels,
      .columns = c->columns,
      .activation = c->activation};
  const et_cpu_range range = {0, width, 0, c->columns};
  product_variants[l->isa](&product, &range);
}

static void expand_window(const lane *l, size_t row) {
  const et_cpu_convolution *c = &l->block->expand;
  const size_t width = c->window.out_width;
  const size_t first = (l->image * c->window.out_height + row) * width;
  for (size_t x = 0; x < width; x += ET_CPU_CONVOLUTION_PIXELS) {
    const et_cpu_pixels pixels = {
        .first_pixel = first + x,
        .pixels = et_cpu_part(width, ET_CPU_CONVOLUTION_PIXELS,
                              x / ET_CPU_CONVOLUTION_PIXELS),
        .columns = c->columns,
        .out = ring_row(l, row) + x * c->columns};
    convolution_variants[l->isa](c, &pixels);
  }
}

static void expand_row(const lane *l, size_t row) {
  const et_cpu_convolution *c = &l->block->expand;
  switch (l->block->form) {
    case ET_CPU_EXPAND_POINT:
      expand_point(l, row);
      return;
    case ET_CPU_EXPAND_PLANES:
      plane_variants[l->isa](c, l->image * c->window.out_height + row,
                             ring_row(l, row), NULL);
      return;
    default:
      expand_window(l, row);
      return;
  }
}

/* Computes the rows of the expanded picture that output rows up to before `end`
 * read, from `begin` on, as far as they are not there. */
static void fill_ring(lane *l, size_t begin, size_t end) {
  const et_cpu_window *w = &l->block->filter.window;
  const size_t first = begin * w->stride_y;
  const size_t last =
      (end - 1) * w->stride_y + (w->kernel_y - 1) * w->dilation_y + 1;
  const size_t skip = first < w->top ? 0 : first - w->top;
  const size_t stop = last < w->top ? 0 : last - w->top;
  l->next = l->next < skip ? skip : l->next;
  while (l->next < stop && l->next < w->height) {
    expand_row(l, l->next++);
  }
}

static void filter_row(const lane *l, size_t row, float *out) {
  const et_cpu_window *w = &l->block->filter.window;
  const float *rows[ET_CPU_BLOCK_ROWS];
  size_t y = row * w->stride_y - w->top;
  for (size_t i = 0; i < w->kernel_y; i++, y += w->dilation_y) {
    rows[i] = y < w->height ? ring_row(l, y) : NULL;
  }
  const et_cpu_channels all = {0, l->block->filter.channels};
  depthwise_variants[l->isa](&l->block->filter, rows, out, all);
}

/* Rows begin to before `end` of one image. */
static void run_strip(lane *l, size_t begin, size_t end) {
  const et_cpu_block *b = l->block;
  const size_t width = b->filter.window.out_width;
  fill_ring(l, begin, end);
  for (size_t y = begin; y < end; y++) {
    filter_row(l, y, l->filtered + (y - begin) * width * b->filter.channels);
  }
  const size_t first = (l->image * b->filter.window.out_height + begin) *
                       width * b->project.columns;
  et_cpu_product project = b->project;
  project.x = l->filtered;
  project.out += first;
  project.residual += project.residual == NULL ? 0 : first;
  const et_cpu_range range = {0, (end - begin) * width, 0, project.columns};
  product_variants[l->isa](&project, &range);
}

/* Strips of several rows that lie in one image. */
static void run_rows(lane *l, size_t begin, size_t end) {
  const et_cpu_block *b = l->block;
  const size_t height = b->filter.window.out_height;
  for (size_t row = begin; row < end;) {
    const size_t y = row % height;
    const size_t left = height - y < end - row ? height - y : end - row;
    const size_t rows = left < b->rows ? left : b->rows;
    if (y == 0 || row == begin) {
      l->image = row / height;
      l->next = 0;
    }
    run_strip(l, y, y + rows);
    row += rows;
  }
}

typedef struct work {
  et_cpu_block block;
  size_t rows; /* of the output, over all images */
  size_t lanes;
  float *workspace;
  size_t workspace_size;
  uint8_t isa;
} work;

static void run_lane(void *data, size_t index) {
  const work *w = data;
  lane l = {.block = &w->block,
            .ring = w->workspace + index * w->workspace_size,
            .isa = w->isa};
  l.filtered = l.ring + w->block.ring * w->block.filter.window.width *
                            w->block.filter.channels;
  run_rows(&l, w->rows * index / w->lanes, w->rows * (index + 1) / w->lanes);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = step->tensors[step->input_count];
  const et_cpu_tensor *space = step->tensors[step->input_count + 1];
  work w = {.block = et_cpu_read_block(step),
            .rows = (size_t)y->sizes[0] * (size_t)y->sizes[1],
            .lanes = et_cpu_lanes(run, (size_t)space->sizes[0]),
            .workspace = space->data,
            .workspace_size = (size_t)space->sizes[1],
            .isa = run->isa};
  if (y->numel > 0) {
    et_cpu_for_each(run, w.lanes, run_lane, &w);
  }
}

static const et_cpu_kind kind = {"block", et_cpu_check_block, run, 0};
const et_backend_part et_cpu_step_block = {ET_CPU_KIND_BLOCK, &kind};
