#include "kernels/util/args.h"
#include "kernels/util/copy.h"

/* Writes self in place; src broadcasts to it. */
et_status et_op_copy_(et_kernel_context *context, et_value **args) {
  const et_view self = et_view_of(args[0]->u.as_tensor);
  const et_view src = et_view_of(args[1]->u.as_tensor);
  et_view spread;
  ET_CHECK(context, et_view_expand(&src, self.sizes, self.rank, &spread),
           "copy_: src does not broadcast to the shape of self");
  return et_copy_view(context, "copy_", &spread, &self);
}
