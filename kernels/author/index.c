#include "executorch/kernels/index.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"

int64_t et_index_at(const et_view *indices, size_t i) {
  const int64_t offset = et_view_offset(indices, i);
  int64_t index = 0;
  et_load_run(ET_COMPUTE_INT64, indices->dtype,
              indices->data + offset * (int64_t)et_scalar_type_size(
                                           (int32_t)indices->dtype),
              0, 1, &index);
  return index;
}

et_status et_index_check_dtype(et_kernel_context *context, const char *what,
                               const et_tensor *indices) {
  ET_CHECK(context,
           indices->dtype == ET_SCALAR_TYPE_INT32 ||
               indices->dtype == ET_SCALAR_TYPE_INT64,
           "%s: indices are %s; cast them to int64", what,
           et_scalar_type_name((int32_t)indices->dtype));
  return ET_STATUS_OK;
}

et_status et_index_check(et_kernel_context *context, const char *what,
                         const et_tensor *indices, int64_t size,
                         bool from_end) {
  ET_RETURN_IF_ERROR(et_index_check_dtype(context, what, indices));
  const et_view view = et_view_of(indices);
  const int64_t low = from_end ? -size : 0;
  for (size_t i = 0; i < indices->numel; i++) {
    const int64_t index = et_index_at(&view, i);
    ET_CHECK(context, index >= low && index < size,
             "%s: index %lld at position %zu is not in [%lld, %lld)", what,
             (long long)index, i, (long long)low, (long long)size);
  }
  return ET_STATUS_OK;
}
