#include "executorch/kernels/copy.h"
#include "kernels/portable/complex.h"

et_status et_op_view_as_real_copy_out(et_kernel_context *context,
                                      et_value **args) {
  et_tensor *out = args[1]->u.as_tensor;
  const et_view self = et_view_of(args[0]->u.as_tensor);
  const et_view parts = et_complex_parts(&self, out->dtype);
  return et_copy_view_to(context, "view_as_real_copy", &parts, out);
}
