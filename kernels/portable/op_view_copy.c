#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

/* Replaces -1 with the size that matches the number of elements. */
static et_status infer_size(et_kernel_context *context, size_t numel,
                            int32_t *sizes, size_t rank) {
  size_t known = 1;
  size_t inferred = rank;
  for (size_t d = 0; d < rank; d++) {
    if (sizes[d] >= 0) {
      known *= (size_t)sizes[d];
      continue;
    }
    ET_CHECK(context, inferred == rank,
             "view_copy: only one size may be inferred");
    inferred = d;
  }
  if (inferred < rank) {
    ET_CHECK(context, known > 0 && numel % known == 0,
             "view_copy: %zu elements are not divisible by %zu", numel, known);
    sizes[inferred] = (int32_t)(numel / known);
  }
  return ET_STATUS_OK;
}

et_status et_op_view_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(
      et_arg_sizes(context, "view_copy: size", args[1], sizes, &rank));
  ET_RETURN_IF_ERROR(infer_size(context, self->numel, sizes, rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  return et_copy_reshaped(context, "view_copy", self, out);
}
