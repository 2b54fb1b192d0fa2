/* Op conv_qs8: convolution of int8 or uint8 images with int8 weights, exact in int32. */
#include "backends/cpu/schema/conv_qs8.h"

#include "backends/cpu/microkernels/conv_qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/gemms.h"
#include "backends/cpu/ops/quantized.h"
#include "backends/cpu/ops/window.h"

static et_cpu_conv_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_conv_qs8);

/* Checks that the number of groups divides the channels, and that the buffers on the stack
 * suffice. */
static et_status check_depth(int64_t channels, int64_t columns, int64_t groups,
                             int64_t taps, et_error *error) {
  ET_CPU_CHECK(error, channels % groups == 0 && columns % groups == 0,
               "conv_qs8: %lld input and %lld output channels cannot be "
               "split evenly into %lld groups",
               (long long)channels, (long long)columns, (long long)groups);
  const int64_t quads = (taps * (channels / groups) + 3) / 4;
  ET_CPU_CHECK(
      error,
      taps <= ET_CPU_CONV_QS8_MAX_TAPS && quads <= ET_CPU_CONV_QS8_MAX_QUADS &&
          channels / groups <= ET_CPU_CONV_QS8_MAX_CHANNELS,
      "conv_qs8: kernel of %lld taps x %lld channels is too large; "
      "expected at most %d taps, %d channels and %d weights",
      (long long)taps, (long long)(channels / groups), ET_CPU_CONV_QS8_MAX_TAPS,
      ET_CPU_CONV_QS8_MAX_CHANNELS, 4 * ET_CPU_CONV_QS8_MAX_QUADS);
  return ET_STATUS_OK;
}

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_conv_qs8_args *args,
                               et_error *error) {
  const int32_t *kernel = args->attributes.window.kernel;
  const int64_t taps = (int64_t)kernel[0] * kernel[1];
  const int64_t groups = args->attributes.groups;
  ET_RETURN_IF_ERROR(
      check_depth(args->x->sizes[3], args->y->sizes[3], groups, taps, error));
  const int64_t channels = args->x->sizes[3] / groups;
  const int64_t columns = args->y->sizes[3] / groups;
  const int64_t panels = groups * ((columns + 15) / 16);
  const int64_t packed[4] = {panels, (taps * channels + 3) / 4, 16, 4};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 4, packed, error));
  return et_cpu_check_columns(op, args->sums, args->scales, args->biases,
                              panels * 16, error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_conv_qs8_args args = et_cpu_conv_qs8_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_same_batch(op, args.x, args.y, error));
  const et_cpu_conv_qs8_attributes *a = &args.attributes;
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(
      op, &a->window, args.x->sizes + 1, args.y->sizes + 1, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_conv_quantization(op, args.x, a->zero_point, a->min_value,
                                     args.y, &a->output_quantization, error));
  return check_weights(op, &args, error);
}

/* Maximum number of pixels of a block. */
#define MAX_PIXELS 384

typedef struct work {
  et_cpu_conv_qs8 conv;
  et_cpu_conv_qs8_function *function;
  et_cpu_blocks blocks; /* blocks of pixels by columns of a group */
} work;

/* Computes block `index`. Groups vary fastest, then blocks of pixels and columns. */
static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t groups = w->conv.groups;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index / groups);
  const et_cpu_pixels_i8 pixels = {range.first_row, range.rows, index % groups,
                                   range.first_column, range.columns};
  w->function(&w->conv, &pixels);
}

static et_cpu_conv_qs8 conv_of(const et_cpu_conv_qs8_args *args) {
  const et_cpu_conv_qs8_attributes *a = &args->attributes;
  return (et_cpu_conv_qs8){
      .window =
          et_cpu_window_of(&a->window, args->x->sizes + 1, args->y->sizes + 1),
      .x = et_cpu_qs8_of(args->x, a->zero_point),
      .max_exact_terms = (size_t)a->max_exact_terms,
      .min_value = a->min_value,
      .panels = args->weights->data,
      .of_columns = et_cpu_columns_of(args->sums, args->scales, args->biases),
      .output_quantization = a->output_quantization,
      .out = args->y->data,
      .channels = (size_t)args->x->sizes[3],
      .columns = (size_t)args->y->sizes[3],
      .groups = (size_t)a->groups};
}

static et_cpu_blocks blocks_of(const et_cpu_conv_qs8 *c, const et_cpu_tensor *y,
                               size_t threads) {
  const int32_t *out = y->sizes;
  const size_t pixels = (size_t)out[0] * (size_t)out[1] * (size_t)out[2];
  const size_t taps = c->window.kernel_y * c->window.kernel_x;
  return et_cpu_share_ready_rows(pixels, c->columns / c->groups,
                                 taps * (c->channels / c->groups), MAX_PIXELS,
                                 threads);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_conv_qs8_args args = et_cpu_conv_qs8_args_of(op);
  if (args.y->numel == 0) {
    return; /* An empty y can have many groups and pixels. */
  }
  work w = {.conv = conv_of(&args), .function = variants[run->isa]};
  w.blocks = blocks_of(&w.conv, args.y, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks) * w.conv.groups, run_block,
                  &w);
}

static const et_cpu_op_type op_type = {&et_cpu_conv_qs8_schema, check, run};
const et_backend_part et_cpu_op_conv_qs8 = {ET_CPU_OP_CONV_QS8, &op_type};
