#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"

static void gate(et_scalar_type dtype, et_scalar_type out_dtype,
                 const uint8_t *value, const uint8_t *gate, uint8_t *out) {
  double x = 0.0;
  double g = 0.0;
  et_load_run(ET_COMPUTE_FLOAT64, dtype, value, 0, 1, &x);
  et_load_run(ET_COMPUTE_FLOAT64, dtype, gate, 0, 1, &g);
  x /= 1.0 + exp(-g);
  et_store_run(ET_COMPUTE_FLOAT64, &x, out_dtype, out, 0, 1);
}

static et_status resize_out(et_kernel_context *context, const et_tensor *self,
                            size_t axis, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  ET_CHECK(context, self->sizes[axis] % 2 == 0,
           "glu: size %d of dimension %zu is odd", (int)self->sizes[axis],
           axis);
  for (size_t d = 0; d < self->rank; d++) {
    sizes[d] = d == axis ? self->sizes[d] / 2 : self->sizes[d];
  }
  return et_tensor_resize(out, sizes, self->rank, context->error);
}

/* First half of a dimension times the sigmoid of the second half. */
et_status et_op_glu_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, "glu",
                        et_scalar_type_is_floating(self->dtype) &&
                            et_scalar_type_is_floating(out->dtype),
                        self, out));
  ET_RETURN_IF_ERROR(
      et_shape_some_axis(context, "glu", self->rank, args[1]->u.as_int, &axis));
  ET_RETURN_IF_ERROR(resize_out(context, self, axis, out));
  const et_view whole = et_view_of(self);
  const int32_t half = self->sizes[axis] / 2;
  const et_view views[3] = {et_view_of(out),
                            et_view_slice(&whole, axis, 0, 1, half),
                            et_view_slice(&whole, axis, half, 1, half)};
  for (et_loop loop = et_loop_over(views, 3); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      const ptrdiff_t n = (ptrdiff_t)i;
      gate(self->dtype, out->dtype, loop.at[1] + n * loop.strides[1],
           loop.at[2] + n * loop.strides[2], loop.at[0] + n * loop.strides[0]);
    }
  }
  return ET_STATUS_OK;
}
