/* Op winograd_qs8: convolution 3 x 3 of stride 1 of bytes with a quarter of the products,
 * whose sums are exact. */
#include "backends/cpu/microkernels/winograd_qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/window_i8.h"

static et_cpu_winograd_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_winograd_qs8);

enum { X = ET_CPU_I8_X, Y = ET_CPU_I8_Y, WORKSPACE };
enum { TILES = ET_CPU_I8_WORDS };

/* Larger values are of no use; within them no sum or product overflows. */
#define MOST (1 << 20)

/* Kernel, stride and dilation of both axes, among the words of a window. */
static et_status check_taps(const et_cpu_op *op, et_error *error) {
  static const uint8_t places[] = {0, 1, 2, 3, 8, 9};
  static const uint8_t expected[] = {3, 3, 1, 1, 1, 1};
  for (size_t i = 0; i < sizeof(places); i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, ET_CPU_I8_WINDOW + places[i],
                                              expected[i], expected[i], error));
  }
  return ET_STATUS_OK;
}

static et_status check_weights(const et_cpu_op *op, et_error *error) {
  const int64_t channels = op->tensors[X]->sizes[3];
  const int64_t columns = op->tensors[Y]->sizes[3];
  ET_CPU_CHECK(error,
               channels % ET_CPU_WINOGRAD_CHANNELS_I8 == 0 &&
                   channels <= ET_CPU_WINOGRAD_MOST_CHANNELS_I8 &&
                   columns % 16 == 0,
               "winograd_qs8: %lld channels and %lld columns, expected a "
               "multiple of %d, at most %d, and one of 16",
               (long long)channels, (long long)columns,
               ET_CPU_WINOGRAD_CHANNELS_I8, ET_CPU_WINOGRAD_MOST_CHANNELS_I8);
  const int64_t packed[4] = {
      (int64_t)et_cpu_winograd_positions(ET_CPU_WINOGRAD_SIDE_I8), columns / 16,
      channels / 2, 32};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(
      op, ET_CPU_I8_WEIGHTS, ET_SCALAR_TYPE_INT16, 4, packed, error));
  return et_cpu_check_columns(op, ET_CPU_I8_COLUMNS, columns, error);
}

static et_status check_workspace(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, TILES, 1, MOST, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, WORKSPACE, ET_SCALAR_TYPE_FLOAT32, 2, error));
  const int32_t *sizes = op->tensors[WORKSPACE]->sizes;
  const size_t needed = et_cpu_winograd_words_i8(
      (size_t)et_cpu_attribute(op, TILES), (size_t)op->tensors[X]->sizes[3]);
  ET_CPU_CHECK(error, sizes[0] >= 1 && (size_t)sizes[1] >= needed,
               "winograd_qs8: a workspace of %d x %d words, needed 1 x %zu",
               (int)sizes[0], (int)sizes[1], needed);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_window_i8(op, 1, 1, error));
  ET_RETURN_IF_ERROR(check_taps(op, error));
  ET_RETURN_IF_ERROR(check_weights(op, error));
  return check_workspace(op, error);
}

/* Groups of tiles, shared out among as many lanes as have a workspace. */
typedef struct work {
  et_cpu_winograd_qs8 winograd;
  et_cpu_winograd_qs8_function *function;
  size_t tiles;
  size_t group; /* tiles at once */
  size_t lanes;
  uint32_t *workspace;
  size_t workspace_size;
} work;

static void run_lane(void *data, size_t index) {
  const work *w = data;
  const size_t groups = et_cpu_parts(w->tiles, w->group);
  const size_t end = groups * (index + 1) / w->lanes;
  for (size_t i = groups * index / w->lanes; i < end; i++) {
    w->function(&w->winograd, i * w->group, et_cpu_part(w->tiles, w->group, i),
                w->workspace + index * w->workspace_size);
  }
}

static et_cpu_winograd_qs8 read(const et_cpu_op *op) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const et_cpu_winograd_qs8 winograd = {
      .window =
          et_cpu_read_window(op, ET_CPU_I8_WINDOW, x->sizes + 1, y->sizes + 1),
      .x = et_cpu_read_bytes(op, X, ET_CPU_I8_ZERO_POINT),
      .panels = op->tensors[ET_CPU_I8_WEIGHTS]->data,
      .of_columns = et_cpu_read_columns(op, ET_CPU_I8_COLUMNS),
      .quantizing = et_cpu_read_output_quantization(op, ET_CPU_I8_QUANTIZING),
      .out = y->data,
      .channels = (size_t)x->sizes[3],
      .columns = (size_t)y->sizes[3]};
  return winograd;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *y = op->tensors[Y];
  const et_cpu_tensor *space = op->tensors[WORKSPACE];
  if (y->numel == 0) {
    return;
  }
  work w = {.winograd = read(op),
            .function = variants[run->isa],
            .workspace = space->data,
            .workspace_size = (size_t)space->sizes[1]};
  const et_cpu_window *window = &w.winograd.window;
  w.tiles = (size_t)y->sizes[0] *
            et_cpu_winograd_tiles(window->out_height, ET_CPU_WINOGRAD_SIDE_I8) *
            et_cpu_winograd_tiles(window->out_width, ET_CPU_WINOGRAD_SIDE_I8);
  w.lanes = et_cpu_lanes(run, (size_t)space->sizes[0]);
  w.group = et_cpu_even_part(w.tiles, op->attributes[TILES], w.lanes);
  et_cpu_for_each(run, w.lanes, run_lane, &w);
}

static const et_cpu_op_type op_type = {"winograd_qs8", check, run, 0, NULL};
const et_backend_part et_cpu_op_winograd_qs8 = {ET_CPU_OP_WINOGRAD_QS8,
                                                &op_type};
