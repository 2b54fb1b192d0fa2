/* Op conv_qs8: a convolution of bytes, whose sums are exact. */
#include "backends/cpu/microkernels/conv_qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/gemm_blocks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/window_i8.h"

static et_cpu_conv_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_conv_qs8);

enum { X = ET_CPU_I8_X, Y = ET_CPU_I8_Y };
enum { GROUPS = ET_CPU_I8_WORDS };

/* Groups divide the channels, and what is kept on the stack fits. */
static et_status check_depth(const et_cpu_op *op, int64_t groups, int64_t taps,
                             et_error *error) {
  const int64_t channels = op->tensors[X]->sizes[3];
  const int64_t columns = op->tensors[Y]->sizes[3];
  ET_CPU_CHECK(error, channels % groups == 0 && columns % groups == 0,
               "conv_qs8: %lld groups of %lld channels, %lld columns",
               (long long)groups, (long long)channels, (long long)columns);
  const int64_t quads = (taps * (channels / groups) + 3) / 4;
  ET_CPU_CHECK(error,
               taps <= ET_CPU_TAPS_I8 && quads <= ET_CPU_QUADS_I8 &&
                   channels / groups <= ET_CPU_CHANNELS_I8,
               "conv_qs8: %lld taps of %lld channels are too many",
               (long long)taps, (long long)(channels / groups));
  return ET_STATUS_OK;
}

static et_status check_weights(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, GROUPS, 1, 1 << 20, error));
  const int64_t groups = et_cpu_attribute(op, GROUPS);
  const int64_t taps = et_cpu_attribute(op, ET_CPU_I8_WINDOW) *
                       et_cpu_attribute(op, ET_CPU_I8_WINDOW + 1);
  ET_RETURN_IF_ERROR(check_depth(op, groups, taps, error));
  const int64_t channels = op->tensors[X]->sizes[3] / groups;
  const int64_t columns = op->tensors[Y]->sizes[3] / groups;
  const int64_t panels = groups * ((columns + 15) / 16);
  const int64_t packed[4] = {panels, (taps * channels + 3) / 4, 16, 4};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, ET_CPU_I8_WEIGHTS,
                                        ET_SCALAR_TYPE_INT8, 4, packed, error));
  return et_cpu_check_columns(op, ET_CPU_I8_COLUMNS, panels * 16, error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_window_i8(op, 1, 0, error));
  return check_weights(op, error);
}

/* Most pixels of a block. */
#define MOST_PIXELS 384

typedef struct work {
  et_cpu_conv_qs8 conv;
  et_cpu_conv_qs8_function *function;
  et_cpu_blocks blocks; /* of pixels times columns of a group */
} work;

/* Groups of the same pixels and columns follow each other. */
static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t groups = w->conv.groups;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index / groups);
  const et_cpu_pixels_i8 pixels = {range.first_row, range.rows, index % groups,
                                   range.first_column, range.columns};
  w->function(&w->conv, &pixels);
}

static et_cpu_conv_qs8 read(const et_cpu_op *op) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const et_cpu_conv_qs8 conv = {
      .window =
          et_cpu_read_window(op, ET_CPU_I8_WINDOW, x->sizes + 1, y->sizes + 1),
      .x = et_cpu_read_bytes(op, X, ET_CPU_I8_ZERO_POINT),
      .together = (size_t)et_cpu_attribute(op, ET_CPU_I8_TOGETHER),
      .lowest = (int32_t)et_cpu_attribute(op, ET_CPU_I8_LOWEST),
      .panels = op->tensors[ET_CPU_I8_WEIGHTS]->data,
      .of_columns = et_cpu_read_columns(op, ET_CPU_I8_COLUMNS),
      .quantizing = et_cpu_read_output_quantization(op, ET_CPU_I8_QUANTIZING),
      .out = y->data,
      .channels = (size_t)x->sizes[3],
      .columns = (size_t)y->sizes[3],
      .groups = (size_t)et_cpu_attribute(op, GROUPS)};
  return conv;
}

static et_cpu_blocks share_out(const et_cpu_op *op, const et_cpu_conv_qs8 *c,
                               size_t threads) {
  const int32_t *out = op->tensors[Y]->sizes;
  const size_t pixels = (size_t)out[0] * (size_t)out[1] * (size_t)out[2];
  const size_t taps = c->window.kernel_y * c->window.kernel_x;
  return et_cpu_share_ready_rows(pixels, c->columns / c->groups,
                                 taps * (c->channels / c->groups), MOST_PIXELS,
                                 threads);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  if (op->tensors[Y]->numel == 0) {
    return; /* groups and pixels may be many all the same */
  }
  work w = {.conv = read(op), .function = variants[run->isa]};
  w.blocks = share_out(op, &w.conv, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks) * w.conv.groups, run_block,
                  &w);
}

static const et_cpu_op_type op_type = {"conv_qs8", check, run, 0, NULL};
const et_backend_part et_cpu_op_conv_qs8 = {ET_CPU_OP_CONV_QS8, &op_type};
