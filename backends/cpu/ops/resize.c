/* Op resize: images brought to other sizes. */
#include "backends/cpu/microkernels/resize.h"

#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_resize_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_resize_f32);

enum { X, Y };
enum { RESIZING, CORNERS, SCALES, WORDS = SCALES + 2 };

/* Larger ops are of no use; within them no place overflows. */
#define MOST_SCALE 1e6f

static et_status check_axis(const et_cpu_op *op, size_t axis, et_error *error) {
  const int32_t in = op->tensors[X]->sizes[1 + axis];
  const int32_t out = op->tensors[Y]->sizes[1 + axis];
  const float scale = et_cpu_read_float(op, SCALES + axis);
  ET_CPU_CHECK(error, in > 0 || out == 0,
               "resize: %d pixels along an axis become %d", (int)in, (int)out);
  ET_CPU_CHECK(error, scale >= 0.0f && scale <= MOST_SCALE,
               "resize: attribute %zu is no op between pixels", SCALES + axis);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_images(op, X, Y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_channels(op, X, Y, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, RESIZING, 0, ET_CPU_RESIZE_CUBIC, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, CORNERS, 0, 1, error));
  ET_RETURN_IF_ERROR(check_axis(op, 0, error));
  return check_axis(op, 1, error);
}

/* What the sizes say, unless the program says by how much. */
static float scale_of(const et_cpu_op *op, size_t axis) {
  const float in = (float)op->tensors[X]->sizes[1 + axis];
  const float out = (float)op->tensors[Y]->sizes[1 + axis];
  const float given = et_cpu_read_float(op, SCALES + axis);
  if (op->attributes[CORNERS] != 0) {
    return out > 1.0f ? (in - 1.0f) / (out - 1.0f) : 0.0f;
  }
  return given > 0.0f ? given : in / out;
}

static et_cpu_resize_axis read_axis(const et_cpu_op *op, size_t axis) {
  return (et_cpu_resize_axis){(size_t)op->tensors[X]->sizes[1 + axis],
                              (size_t)op->tensors[Y]->sizes[1 + axis],
                              scale_of(op, axis)};
}

typedef struct work {
  et_cpu_resize resize;
  et_cpu_resize_f32_function *function;
  const float *x;
  float *y;
} work;

static void run_row(void *data, size_t index) {
  const work *w = data;
  const et_cpu_resize *r = &w->resize;
  const size_t image = index / r->y.out;
  w->function(r, w->x + image * r->y.in * r->x.in * r->channels,
              index % r->y.out, w->y + index * r->x.out * r->channels);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *y = op->tensors[Y];
  if (y->numel == 0) {
    return;
  }
  work w = {.resize = {.y = read_axis(op, 0),
                       .x = read_axis(op, 1),
                       .channels = (size_t)y->sizes[3],
                       .resizing = (et_cpu_resizing)op->attributes[RESIZING],
                       .corners = op->attributes[CORNERS] != 0},
            .function = variants[run->isa],
            .x = op->tensors[X]->data,
            .y = y->data};
  et_cpu_for_each(run, (size_t)y->sizes[0] * w.resize.y.out, run_row, &w);
}

static const et_cpu_op_type op_type = {"resize", check, run, 0, NULL};
const et_backend_part et_cpu_op_resize = {ET_CPU_OP_RESIZE, &op_type};
