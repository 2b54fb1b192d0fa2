#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/complex.h"

static et_complex128 element(et_scalar_type dtype, const uint8_t *at) {
  et_complex128 value = {0.0, 0.0};
  if (et_scalar_type_is_complex(dtype)) {
    return et_complex_load(dtype, at);
  }
  et_load_run(ET_COMPUTE_FLOAT64, dtype, at, 0, 1, &value.real);
  return value;
}

/* Converts real elements to complex ones. The memory plan has set the dim order
 * of out. */
static et_status convert(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view views[2] = {et_view_of(out), et_view_of(self)};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      const ptrdiff_t at = (ptrdiff_t)i;
      et_complex_store(out->dtype, loop.at[0] + at * loop.strides[0],
                       element(self->dtype, loop.at[1] + at * loop.strides[1]));
    }
  }
  return ET_STATUS_OK;
}

et_status et_op_to_copy_complex_out(et_kernel_context *context,
                                    et_value **args) {
  return convert(context, args);
}

et_status et_op_to_dim_order_copy_complex_out(et_kernel_context *context,
                                              et_value **args) {
  return convert(context, args);
}
