#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

/* -1 keeps the size of self. */
static et_status keep_sizes(et_kernel_context *context, const et_tensor *self,
                            int32_t *sizes, size_t rank) {
  for (size_t d = 0; d < rank; d++) {
    const size_t added = rank - self->rank;
    ET_CHECK(context, sizes[d] >= 0 || d >= added,
             "expand_copy: new dimension %zu has size -1", d);
    sizes[d] = sizes[d] < 0 ? self->sizes[d - added] : sizes[d];
  }
  return ET_STATUS_OK;
}

et_status et_op_expand_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_view view = et_view_of(self);
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  et_view expanded;
  ET_RETURN_IF_ERROR(
      et_arg_sizes(context, "expand_copy: size", args[1], sizes, &rank));
  ET_CHECK(context, rank >= self->rank,
           "expand_copy: %zu sizes for %d dimensions", rank, (int)self->rank);
  ET_RETURN_IF_ERROR(keep_sizes(context, self, sizes, rank));
  ET_CHECK(context, et_view_expand(&view, sizes, rank, &expanded),
           "expand_copy: self does not broadcast to the sizes");
  return et_copy_view_to(context, "expand_copy", &expanded,
                         args[3]->u.as_tensor);
}
