/* Op dwconv_qs8: depthwise convolution of int8 or uint8 images, exact in int32. */
#include "backends/cpu/schema/dwconv_qs8.h"

#include "backends/cpu/microkernels/dwconv_qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"
#include "backends/cpu/ops/window.h"

static et_cpu_dwconv_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_dwconv_qs8);

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_dwconv_qs8_args *args,
                               et_error *error) {
  const int64_t height = args->attributes.window.kernel[0];
  const int64_t width = args->attributes.window.kernel[1];
  ET_CPU_CHECK(
      error, height * width <= ET_CPU_DWCONV_QS8_MAX_TAPS,
      "dwconv_qs8: kernel of %lld x %lld taps is too large; expected at "
      "most %d taps",
      (long long)height, (long long)width, ET_CPU_DWCONV_QS8_MAX_TAPS);
  const int64_t panels = ((int64_t)args->x->sizes[3] + 15) / 16;
  const int64_t packed[4] = {panels, width * ((height + 3) / 4), 16, 4};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 4, packed, error));
  return et_cpu_check_columns(op, args->sums, args->scales, args->biases,
                              panels * 16, error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_dwconv_qs8_args args = et_cpu_dwconv_qs8_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_same_channels(op, args.x, args.y, error));
  const et_cpu_dwconv_qs8_attributes *a = &args.attributes;
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(
      op, &a->window, args.x->sizes + 1, args.y->sizes + 1, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_conv_quantization(op, args.x, a->zero_point, a->min_value,
                                     args.y, &a->output_quantization, error));
  return check_weights(op, &args, error);
}

/* The weights of a block of channels are prepared once for at least PIXELS pixels. The microkernel
 * computes up to ROWS rows at once. */
#define PIXELS 128
#define ROWS 4 /* divides PIXELS */

typedef struct work {
  et_cpu_dwconv_qs8 depthwise;
  et_cpu_dwconv_qs8_function *function;
  size_t rows;     /* rows of the output, over all images */
  size_t at_once;  /* rows that are computed at once */
  size_t channels; /* number of blocks of channels */
} work;

/* Blocks with the same rows but different channels are consecutive. */
static void run_rows(void *data, size_t index) {
  const work *w = data;
  const size_t block = index / w->channels;
  const et_cpu_rows_i8 rows = {block * w->at_once,
                               et_cpu_part(w->rows, w->at_once, block),
                               index % w->channels * ET_CPU_DWCONV_CHANNELS_I8};
  w->function(&w->depthwise, &rows);
}

static et_cpu_dwconv_qs8 dwconv_of(const et_cpu_dwconv_qs8_args *args) {
  const et_cpu_dwconv_qs8_attributes *a = &args->attributes;
  return (et_cpu_dwconv_qs8){
      .window =
          et_cpu_window_of(&a->window, args->x->sizes + 1, args->y->sizes + 1),
      .x = et_cpu_qs8_of(args->x, a->zero_point),
      .taps = args->weights->data,
      .max_exact_terms = (size_t)a->max_exact_terms,
      .min_value = a->min_value,
      .of_columns = et_cpu_columns_of(args->sums, args->scales, args->biases),
      .output_quantization = a->output_quantization,
      .out = args->y->data,
      .channels = (size_t)args->x->sizes[3]};
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_dwconv_qs8_args args = et_cpu_dwconv_qs8_args_of(op);
  const int32_t *out = args.y->sizes;
  if (args.y->numel == 0) {
    return;
  }
  work w = {.depthwise = dwconv_of(&args), .function = variants[run->isa]};
  w.rows = (size_t)out[0] * (size_t)out[1];
  const size_t max = ROWS * et_cpu_parts(PIXELS / ROWS, (size_t)out[2]);
  w.at_once = et_cpu_even_part(w.rows, max, et_cpu_threads(run));
  w.channels = et_cpu_parts(w.depthwise.channels, ET_CPU_DWCONV_CHANNELS_I8);
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.at_once) * w.channels, run_rows,
                  &w);
}

static const et_cpu_op_type op_type = {&et_cpu_dwconv_qs8_schema, check, run};
const et_backend_part et_cpu_op_dwconv_qs8 = {ET_CPU_OP_DWCONV_QS8, &op_type};
