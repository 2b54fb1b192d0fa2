#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/complex.h"

et_status et_op_view_as_complex_copy_out(et_kernel_context *context,
                                         et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[1]->u.as_tensor;
  ET_CHECK(context, self->sizes[self->rank - 1] == 2,
           "view_as_complex_copy: the last dimension has %d elements, not 2",
           (int)self->sizes[self->rank - 1]);
  ET_RETURN_IF_ERROR(et_tensor_resize(out, self->sizes, (size_t)self->rank - 1,
                                      context->error));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  const et_view parts = et_complex_parts(&to, self->dtype);
  return et_copy_view(context, "view_as_complex_copy", &from, &parts);
}
