#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/complex.h"

et_status et_op_conj_physical_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[1]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view views[2] = {et_view_of(out), et_view_of(self)};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      et_complex128 value = et_complex_load(
          self->dtype, loop.at[1] + (ptrdiff_t)i * loop.strides[1]);
      value.imaginary = -value.imaginary;
      et_complex_store(out->dtype, loop.at[0] + (ptrdiff_t)i * loop.strides[0],
                       value);
    }
  }
  return ET_STATUS_OK;
}
