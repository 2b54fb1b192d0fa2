/* Op resize: interpolates images in NHWC layout to a different size. */
#include "backends/cpu/schema/resize.h"

#include "backends/cpu/microkernels/resize.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_cpu_resize_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_resize_f32);

/* Maximum scale for which positions do not overflow. */
#define MAX_SCALE 1e6f

static et_status check_axis(const et_cpu_resize_args *args, size_t axis,
                            et_error *error) {
  const int32_t in = args->x->sizes[1 + axis];
  const int32_t out = args->y->sizes[1 + axis];
  const float scale = args->attributes.scales[axis];
  ET_CPU_CHECK(error, in > 0 || out == 0,
               "resize: cannot resize an axis from %d to %d pixels", (int)in,
               (int)out);
  ET_CPU_CHECK(error, scale >= 0.0f && scale <= MAX_SCALE,
               "resize: scale %zu is not in [0, 1e6]", axis);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_resize_args args = et_cpu_resize_args_of(op);
  const int32_t *x = args.x->sizes;
  const int32_t *y = args.y->sizes;
  const int64_t sizes[4] = {x[0], y[1], y[2], x[3]};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.y, 4, sizes, error));
  ET_RETURN_IF_ERROR(check_axis(&args, 0, error));
  return check_axis(&args, 1, error);
}

static float scale_of(const et_cpu_resize_args *args, size_t axis) {
  const float in = (float)args->x->sizes[1 + axis];
  const float out = (float)args->y->sizes[1 + axis];
  const float scale = args->attributes.scales[axis];
  if (args->attributes.align_corners) {
    return out > 1.0f ? (in - 1.0f) / (out - 1.0f) : 0.0f;
  }
  return scale > 0.0f ? scale : in / out;
}

static et_cpu_resize_axis axis_of(const et_cpu_resize_args *args, size_t axis) {
  return (et_cpu_resize_axis){(size_t)args->x->sizes[1 + axis],
                              (size_t)args->y->sizes[1 + axis],
                              scale_of(args, axis)};
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
  const et_cpu_resize_args args = et_cpu_resize_args_of(op);
  const et_cpu_tensor *y = args.y;
  if (y->numel == 0) {
    return;
  }
  work w = {.resize = {.y = axis_of(&args, 0),
                       .x = axis_of(&args, 1),
                       .channels = (size_t)y->sizes[3],
                       .mode = (et_cpu_resize_mode)args.attributes.mode,
                       .align_corners = args.attributes.align_corners},
            .function = variants[run->isa],
            .x = args.x->data,
            .y = y->data};
  et_cpu_for_each(run, (size_t)y->sizes[0] * w.resize.y.out, run_row, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_resize_schema, check, run};
const et_backend_part et_cpu_op_resize = {ET_CPU_OP_RESIZE, &op_type};
