#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

et_status et_op_scatter_src_out(et_kernel_context *context, et_value **args) {
  const et_view src = et_view_of(args[3]->u.as_tensor);
  return et_along_scatter(context, "scatter", args, &src, et_along_set,
                          args[4]->u.as_tensor);
}

et_status et_op_scatter_add_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_supports(context, "scatter_add",
                                       et_dtype_is_computable(self->dtype),
                                       self, args[4]->u.as_tensor));
  const et_view src = et_view_of(args[3]->u.as_tensor);
  return et_along_scatter(context, "scatter_add", args, &src,
                          et_accumulate_along, args[4]->u.as_tensor);
}

/* Broadcasts the scalar to a source of the size of index. */
et_status et_op_scatter_value_out(et_kernel_context *context, et_value **args) {
  const et_tensor *index = args[2]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  et_chunk element;
  et_view src;
  const et_view one = {(uint8_t *)&element, out->dtype, 0, {0}, {0}};
  ET_RETURN_IF_ERROR(et_fill_view(context, "scatter", args[3], &one));
  et_view_expand(&one, index->sizes, index->rank, &src);
  return et_along_scatter(context, "scatter", args, &src, et_along_set, out);
}
