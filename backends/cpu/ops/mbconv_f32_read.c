/* Verification of `mbconv_f32`, and computation of the sizes of its blocks. */
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/mbconv_f32.h"
#include "backends/cpu/ops/window.h"

/* Weights of a block, in this order. */
enum { EXPAND, EXPAND_BIAS, TAPS, TAP_BIAS, PROJECT, PROJECT_BIAS, WEIGHTS };

/* A block, with the sizes that no tensor of the op has. */
typedef struct block {
  et_cpu_mbconv_block layers;
  et_cpu_tensor *const *weights;
  size_t index;
  bool is_last;
  int64_t rows;        /* rows of the output that are computed at once */
  int32_t in[2];       /* height and width of the input */
  int32_t expanded[2]; /* height and width of the expanded image */
  int32_t out[2];
  int64_t channels; /* channels of the input */
  int64_t middle;   /* channels of the expanded image */
  int64_t columns;  /* channels of the output */
} block;

static et_cpu_mbconv_block layers_of(const et_cpu_mbconv_f32_args *args,
                                     size_t index) {
  return et_cpu_mbconv_block_read(args->attributes.blocks +
                                  index * ET_CPU_MBCONV_BLOCK_WORDS);
}

static const et_cpu_tensor *residual_of(const et_cpu_mbconv_f32_args *args) {
  const size_t weights = WEIGHTS * args->attributes.blocks_count;
  return args->weights_count > weights ? args->weights[weights] : NULL;
}

static bool is_point(const et_cpu_window *w) {
  return w->kernel_y == 1 && w->kernel_x == 1 && w->stride_y == 1 &&
         w->stride_x == 1 && w->out_height == w->height &&
         w->out_width == w->width;
}

static int32_t outputs_along(const et_cpu_window_attributes *window,
                             size_t axis, int32_t in) {
  const int64_t outputs = et_cpu_window_output_size(window, axis, in);
  return outputs > INT32_MAX ? INT32_MAX : (int32_t)outputs;
}

/* Sets the members that depend on the size of the block's input. In the last block, the number of
 * columns is that of y. In the others, it is K of the next block's expanding GEMM, and rows are
 * computed one at a time, when the next block needs them. */
static void find_sizes(const et_cpu_mbconv_f32_args *args, block *b) {
  b->layers = layers_of(args, b->index);
  b->weights = args->weights + b->index * WEIGHTS;
  b->is_last = b->index + 1 == args->attributes.blocks_count;
  for (size_t i = 0; i < 2; i++) {
    b->expanded[i] = outputs_along(&b->layers.expand.window, i, b->in[i]);
    b->out[i] = outputs_along(&b->layers.filter.window, i, b->expanded[i]);
  }
  b->middle = b->weights[PROJECT]->sizes[1];
  b->rows = b->is_last ? args->attributes.rows : 1;
  b->columns =
      b->is_last ? args->y->sizes[3] : b->weights[WEIGHTS + EXPAND]->sizes[2];
}

static block first_block(const et_cpu_mbconv_f32_args *args) {
  const int32_t *x = args->x->sizes;
  const bool planar = layers_of(args, 0).expand.planar;
  const int32_t *image = x + (planar ? 2 : 1);
  block b = {.in = {image[0], image[1]}, .channels = x[planar ? 1 : 3]};
  find_sizes(args, &b);
  return b;
}

/* Moves to the next block. Its input is the output of the current block. */
static void move_to_next(const et_cpu_mbconv_f32_args *args, block *b) {
  b->index++;
  b->in[0] = b->out[0];
  b->in[1] = b->out[1];
  b->channels = b->columns;
  find_sizes(args, b);
}

static et_cpu_window expand_window_of(const block *b) {
  return et_cpu_window_of(&b->layers.expand.window, b->in, b->expanded);
}

static et_status check_expand_form(const block *b, et_error *error) {
  const et_cpu_window window = expand_window_of(b);
  const bool planar = b->layers.expand.planar;
  ET_CPU_CHECK(
      error, !planar || et_cpu_conv_planar_fit(&window, (size_t)b->channels),
      "mbconv_f32: windows of %zu x %zu over %lld channels are too large for "
      "planar input",
      window.kernel_y, window.kernel_x, (long long)b->channels);
  ET_CPU_CHECK(error, b->index == 0 || (!planar && is_point(&window)),
               "mbconv_f32: expansion of block %zu is not a 1 x 1 convolution",
               b->index);
  return ET_STATUS_OK;
}

static et_status check_expand(const et_cpu_op *op, const block *b,
                              et_error *error) {
  const int32_t *kernel = b->layers.expand.window.kernel;
  const int64_t panels = (b->middle + 15) / 16;
  const int64_t depth = (int64_t)kernel[0] * kernel[1] * b->channels;
  const int64_t packed[4] = {1, panels, depth, 16};
  ET_CPU_CHECK(error, b->expanded[0] < INT32_MAX && b->expanded[1] < INT32_MAX,
               "mbconv_f32: expanded image of block %zu is too large",
               b->index);
  ET_RETURN_IF_ERROR(
      et_cpu_check_shape(op, b->weights[EXPAND], 4, packed, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_elements(op, b->weights[EXPAND_BIAS], panels * 16, error));
  return check_expand_form(b, error);
}

static et_status check_filter(const et_cpu_op *op,
                              const et_cpu_mbconv_f32_args *args,
                              const block *b, et_error *error) {
  const et_cpu_window_attributes *window = &b->layers.filter.window;
  const int64_t taps = (int64_t)window->kernel[0] * window->kernel[1];
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(
      op, window, b->expanded, b->is_last ? args->y->sizes + 1 : b->out,
      error));
  return et_cpu_check_panels(op, b->weights[TAPS], b->weights[TAP_BIAS], taps,
                             b->middle, error);
}

/* Returns the number of rows of the expanded image that `rows` rows of the output need. */
static int64_t ring_rows(const block *b) {
  const et_cpu_window_attributes *window = &b->layers.filter.window;
  return (b->rows - 1) * window->stride[0] +
         (int64_t)(window->kernel[0] - 1) * window->dilation[0] + 1;
}

/* Subtracts the number of floats that a thread needs for the block from `left`. Each factor is
 * compared with `left` < 2^31 before it is multiplied, so products do not overflow. */
static et_status check_workspace(const et_cpu_mbconv_f32_args *args,
                                 const block *b, int64_t *left,
                                 et_error *error) {
  const int64_t ring = ring_rows(b);
  const int64_t middle = b->middle > 0 ? b->middle : 1;
  const int64_t row = b->is_last ? 0 : b->out[1] * b->columns;
  const bool fits =
      ring <= *left && b->expanded[1] <= *left && b->out[1] <= *left &&
      row <= *left &&
      ring * b->expanded[1] + b->rows * b->out[1] <= (*left - row) / middle;
  ET_CPU_CHECK(
      error, fits,
      "mbconv_f32: workspace is [%d, %d], too small for %lld x %d expanded and "
      "%lld x %d filtered pixels of %lld channels",
      (int)args->workspace->sizes[0], (int)args->workspace->sizes[1],
      (long long)ring, (int)b->expanded[1], (long long)b->rows, (int)b->out[1],
      (long long)b->middle);
  *left -= row + (ring * b->expanded[1] + b->rows * b->out[1]) * b->middle;
  return ET_STATUS_OK;
}

static et_status check_block(const et_cpu_op *op,
                             const et_cpu_mbconv_f32_args *args, const block *b,
                             int64_t *floats, et_error *error) {
  ET_RETURN_IF_ERROR(check_expand(op, b, error));
  ET_RETURN_IF_ERROR(check_filter(op, args, b, error));
  ET_RETURN_IF_ERROR(et_cpu_check_panels(op, b->weights[PROJECT],
                                         b->weights[PROJECT_BIAS], b->middle,
                                         b->columns, error));
  return check_workspace(args, b, floats, error);
}

static et_status check_blocks(const et_cpu_op *op,
                              const et_cpu_mbconv_f32_args *args,
                              et_error *error) {
  ET_CPU_CHECK(error, args->workspace->sizes[0] >= 1,
               "mbconv_f32: workspace has no rows");
  int64_t floats = args->workspace->sizes[1];
  block b = first_block(args);
  for (;; move_to_next(args, &b)) {
    ET_RETURN_IF_ERROR(check_block(op, args, &b, &floats, error));
    if (b.is_last) {
      return ET_STATUS_OK;
    }
  }
}

static et_status check_counts(const et_cpu_mbconv_f32_args *args,
                              et_error *error) {
  const size_t blocks = args->attributes.blocks_count;
  ET_CPU_CHECK(error, blocks >= 1 && blocks <= ET_CPU_MBCONV_MAX_BLOCKS,
               "mbconv_f32: %zu blocks, expected 1 to %d", blocks,
               ET_CPU_MBCONV_MAX_BLOCKS);
  const size_t weights = WEIGHTS * blocks;
  ET_CPU_CHECK(
      error,
      args->weights_count == weights || args->weights_count == weights + 1,
      "mbconv_f32: %zu inputs, expected %zu, or one more with a residual",
      args->weights_count + 1, weights + 1);
  return ET_STATUS_OK;
}

/* Checks the properties that find_sizes() relies on. */
static et_status check_layers(const et_cpu_op *op,
                              const et_cpu_mbconv_f32_args *args, size_t index,
                              et_error *error) {
  et_cpu_tensor *const *weights = args->weights + index * WEIGHTS;
  const int32_t rows = layers_of(args, index).filter.window.kernel[0];
  ET_CPU_CHECK(error, rows <= ET_CPU_MBCONV_MAX_ROWS,
               "mbconv_f32: kernel has %d rows, expected 1 to %d", (int)rows,
               ET_CPU_MBCONV_MAX_ROWS);
  ET_RETURN_IF_ERROR(et_cpu_check_rank(op, weights[EXPAND], 4, error));
  return et_cpu_check_rank(op, weights[PROJECT], 3, error);
}

et_status et_cpu_check_mbconv(const et_cpu_op *op, et_error *error) {
  const et_cpu_mbconv_f32_args args = et_cpu_mbconv_f32_args_of(op);
  ET_RETURN_IF_ERROR(check_counts(&args, error));
  for (size_t i = 0; i < args.attributes.blocks_count; i++) {
    ET_RETURN_IF_ERROR(check_layers(op, &args, i, error));
  }
  ET_RETURN_IF_ERROR(et_cpu_check_same_batch(op, args.x, args.y, error));
  const et_cpu_tensor *residual = residual_of(&args);
  if (residual != NULL) {
    ET_RETURN_IF_ERROR(et_cpu_check_alike(op, residual, args.y, error));
  }
  return check_blocks(op, &args, error);
}

et_cpu_block et_cpu_mbconv_block_of(const et_cpu_mbconv_f32_args *args,
                                    size_t index) {
  block b = first_block(args);
  while (b.index < index) {
    move_to_next(args, &b);
  }
  const et_cpu_mbconv_block *layers = &b.layers;
  const et_cpu_tensor *residual = residual_of(args);
  const et_cpu_window window = expand_window_of(&b);
  return (et_cpu_block){
      .form = layers->expand.planar ? ET_CPU_EXPAND_PLANAR
              : is_point(&window)   ? ET_CPU_EXPAND_POINT
                                    : ET_CPU_EXPAND_WINDOW,
      .expand = {.window = window,
                 .x = b.index == 0 ? args->x->data : NULL,
                 .panels = b.weights[EXPAND]->data,
                 .bias = b.weights[EXPAND_BIAS]->data,
                 .channels = (size_t)b.channels,
                 .columns = (size_t)b.middle,
                 .groups = 1,
                 .activation = layers->expand.activation},
      .filter = {.window = et_cpu_window_of(&layers->filter.window, b.expanded,
                                            b.out),
                 .taps = b.weights[TAPS]->data,
                 .bias = b.weights[TAP_BIAS]->data,
                 .channels = (size_t)b.middle,
                 .activation = layers->filter.activation},
      .project = {.panels = b.weights[PROJECT]->data,
                  .bias = b.weights[PROJECT_BIAS]->data,
                  .residual =
                      b.is_last && residual != NULL ? residual->data : NULL,
                  .out = b.is_last ? args->y->data : NULL,
                  .depth = (size_t)b.middle,
                  .columns = (size_t)b.columns,
                  .activation = layers->project.activation},
      .rows = (size_t)b.rows,
      .ring = (size_t)ring_rows(&b)};
}
