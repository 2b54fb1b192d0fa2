#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "kernels/engines/window.h"

static void pool_all(const et_window *w, bool include_pad, int64_t divisor) {
  et_position o = {0};
  do {
    const et_box box = et_window_box(w, &o);
    const double count = et_window_divisor(w, &o, &box, include_pad, divisor);
    const double mean = et_window_sum(&w->in, &o, &box) / count;
    et_store_run(ET_COMPUTE_FLOAT64, &mean, w->out.dtype,
                 et_window_at(&w->out, &o), 0, 1);
  } while (et_window_next(&w->out, &o));
}

static int64_t sum_of_integers(const et_view *in, const et_position *position,
                               const et_box *box) {
  et_position at = *position;
  int64_t sum = 0;
  for (at.z = box->z.begin; at.z < box->z.end; at.z += box->z.step) {
    for (at.y = box->y.begin; at.y < box->y.end; at.y += box->y.step) {
      for (at.x = box->x.begin; at.x < box->x.end; at.x += box->x.step) {
        int64_t element;
        memcpy(&element, et_window_at(in, &at), sizeof element);
        sum = et_wrap_add(sum, element);
      }
    }
  }
  return sum;
}

/* Integer means round toward zero, as in PyTorch. */
static void pool_integers(const et_window *w, bool include_pad,
                          int64_t divisor) {
  et_position o = {0};
  do {
    const et_box box = et_window_box(w, &o);
    const int64_t count =
        (int64_t)et_window_divisor(w, &o, &box, include_pad, divisor);
    const int64_t sum = sum_of_integers(&w->in, &o, &box);
    /* INT64_MIN / -1 is undefined, so a count of -1 negates with wrapping. */
    const int64_t mean = count == -1  ? et_wrap_mul(sum, -1)
                         : count == 0 ? 0
                                      : sum / count;
    memcpy(et_window_at(&w->out, &o), &mean, sizeof mean);
  } while (et_window_next(&w->out, &o));
}

static et_status pool(et_kernel_context *context, const char *name, size_t dims,
                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[7]->u.as_tensor;
  const et_window_arguments arguments = {
      name, dims, args[1], args[2], args[3], NULL, args[4]->u.as_bool};
  const int64_t divisor = et_arg_int_or(args[6], 0);
  et_window window;
  const bool is_integer = self->dtype == ET_SCALAR_TYPE_INT64;
  ET_CHECK_DTYPE(context, is_integer || et_scalar_type_is_floating(self->dtype),
                 name, self->dtype);
  ET_CHECK(context, et_arg_is_none(args[6]) || divisor != 0,
           "%s: divisor_override is 0; pass another value", name);
  ET_RETURN_IF_ERROR(et_window_plan(context, &arguments, self, out, &window));
  if (out->numel > 0) {
    (is_integer ? pool_integers : pool_all)(&window, args[5]->u.as_bool,
                                            divisor);
  }
  return ET_STATUS_OK;
}

et_status et_op_avg_pool2d_out(et_kernel_context *context, et_value **args) {
  return pool(context, "avg_pool2d", 2, args);
}

et_status et_op_avg_pool3d_out(et_kernel_context *context, et_value **args) {
  return pool(context, "avg_pool3d", 3, args);
}
