/* Step resize: images brought to other sizes. */
#include "backends/cpu/simd/resize.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_resize_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_resize_f32);

enum { X, Y };
enum { RESIZING, CORNERS, SCALES, WORDS = SCALES + 2 };

/* Larger steps are of no use; within them no place overflows. */
#define MOST_SCALE 1e6f

static et_status check_axis(const et_cpu_step *step, size_t axis,
                            et_error *error) {
  const int32_t in = step->tensors[X]->sizes[1 + axis];
  const int32_t out = step->tensors[Y]->sizes[1 + axis];
  const float scale = et_cpu_read_float(step, SCALES + axis);
  ET_CPU_CHECK(error, in > 0 || out == 0,
               "resize: %d pixels along an axis become %d", (int)in, (int)out);
  ET_CPU_CHECK(error, scale >= 0.0f && scale <= MOST_SCALE,
               "resize: attribute %zu is no step between pixels",
               SCALES + axis);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_images(step, X, Y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_channels(step, X, Y, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(step, RESIZING, 0, ET_CPU_RESIZE_CUBIC, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, CORNERS, 0, 1, error));
  ET_RETURN_IF_ERROR(check_axis(step, 0, error));
  return check_axis(step, 1, error);
}

/* What the sizes say, unless the program says by how much. */
static float scale_of(const et_cpu_step *step, size_t axis) {
  const float in = (float)step->tensors[X]->sizes[1 + axis];
  const float out = (float)step->tensors[Y]->sizes[1 + axis];
  const float given = et_cpu_read_float(step, SCALES + axis);
  if (step->attributes[CORNERS] != 0) {
    return out > 1.0f ? (in - 1.0f) / (out - 1.0f) : 0.0f;
  }
  return given > 0.0f ? given : in / out;
}

static et_cpu_resize_axis read_axis(const et_cpu_step *step, size_t axis) {
  return (et_cpu_resize_axis){(size_t)step->tensors[X]->sizes[1 + axis],
                              (size_t)step->tensors[Y]->sizes[1 + axis],
                              scale_of(step, axis)};
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

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = step->tensors[Y];
  if (y->numel == 0) {
    return;
  }
  work w = {.resize = {.y = read_axis(step, 0),
                       .x = read_axis(step, 1),
                       .channels = (size_t)y->sizes[3],
                       .resizing = (et_cpu_resizing)step->attributes[RESIZING],
                       .corners = step->attributes[CORNERS] != 0},
            .function = variants[run->isa],
            .x = step->tensors[X]->data,
            .y = y->data};
  et_cpu_for_each(run, (size_t)y->sizes[0] * w.resize.y.out, run_row, &w);
}

static const et_cpu_kind kind = {"resize", check, run, 0};
const et_backend_part et_cpu_step_resize = {ET_CPU_KIND_RESIZE, &kind};
