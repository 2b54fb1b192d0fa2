#include "executorch/kernels/shape.h"

#include "executorch/kernels/args.h"

et_status et_shape_axis(et_kernel_context *context, const char *what,
                        int64_t axis, size_t rank, size_t *out) {
  const int64_t count = rank == 0 ? 1 : (int64_t)rank;
  ET_CHECK(context, axis >= -count && axis < count,
           "%s: axis %lld is not in [%lld, %lld]", what, (long long)axis,
           (long long)-count, (long long)(count - 1));
  *out = (size_t)(axis < 0 ? axis + count : axis);
  return ET_STATUS_OK;
}

et_status et_shape_some_axis(et_kernel_context *context, const char *what,
                             size_t rank, int64_t axis, size_t *out) {
  ET_CHECK(context, rank > 0, "%s: self has no dimensions", what);
  return et_shape_axis(context, what, axis, rank, out);
}

et_status et_shape_axes(et_kernel_context *context, const char *what,
                        const et_value *list, size_t rank,
                        bool out_axes[ET_MAX_RANK]) {
  const size_t count = list->tag == ET_VALUE_NONE ? 0 : list->u.as_list.size;
  for (size_t d = 0; d < ET_MAX_RANK; d++) {
    out_axes[d] = count == 0;
  }
  for (size_t i = 0; i < count; i++) {
    size_t axis = 0;
    ET_RETURN_IF_ERROR(
        et_shape_axis(context, what, et_int_list_at(list, i), rank, &axis));
    ET_CHECK(context, !out_axes[axis], "%s: axis %zu is repeated", what, axis);
    out_axes[axis] = true;
  }
  return ET_STATUS_OK;
}

static size_t highest_rank(et_tensor *const *tensors, size_t count) {
  size_t rank = 0;
  for (size_t i = 0; i < count; i++) {
    rank = tensors[i]->rank > rank ? tensors[i]->rank : rank;
  }
  return rank;
}

static et_status broadcast_one(et_kernel_context *context, const char *what,
                               const et_tensor *tensor, int32_t *sizes,
                               size_t rank) {
  const size_t added = rank - tensor->rank;
  for (size_t d = 0; d < tensor->rank; d++) {
    const int32_t size = tensor->sizes[d];
    int32_t *joint = &sizes[added + d];
    ET_CHECK(context, size == *joint || size == 1 || *joint == 1,
             "%s: dimension %zu: sizes %d and %d do not broadcast", what,
             added + d, (int)*joint, (int)size);
    *joint = *joint == 1 ? size : *joint;
  }
  return ET_STATUS_OK;
}

et_status et_shape_broadcast(et_kernel_context *context, const char *what,
                             et_tensor *const *tensors, size_t count,
                             int32_t out_sizes[ET_MAX_RANK], size_t *out_rank) {
  *out_rank = highest_rank(tensors, count);
  for (size_t d = 0; d < *out_rank; d++) {
    out_sizes[d] = 1;
  }
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(
        broadcast_one(context, what, tensors[i], out_sizes, *out_rank));
  }
  return ET_STATUS_OK;
}

et_status et_shape_resize_like(et_kernel_context *context, et_tensor *out,
                               const et_tensor *tensor) {
  return et_tensor_resize(out, tensor->sizes, tensor->rank, context->error);
}

et_status et_shape_same_dtype(et_kernel_context *context, const char *what,
                              const et_tensor *a, const et_tensor *b) {
  ET_CHECK(context, a->dtype == b->dtype,
           "%s: dtypes %s and %s differ; cast one of them", what,
           et_scalar_type_name((int32_t)a->dtype),
           et_scalar_type_name((int32_t)b->dtype));
  return ET_STATUS_OK;
}

et_status et_shape_supports(et_kernel_context *context, const char *what,
                            bool supports, const et_tensor *from,
                            const et_tensor *to) {
  ET_CHECK(context, supports,
           "%s: from %s to %s is not supported; cast to float32", what,
           et_scalar_type_name((int32_t)from->dtype),
           et_scalar_type_name((int32_t)to->dtype));
  return ET_STATUS_OK;
}

et_status et_shape_rank(et_kernel_context *context, const char *what,
                        const et_tensor *tensor, size_t rank_low,
                        size_t rank_high) {
  ET_CHECK(context, tensor->rank >= rank_low && tensor->rank <= rank_high,
           "%s has %d dimensions, expected %zu to %zu", what, (int)tensor->rank,
           rank_low, rank_high);
  return ET_STATUS_OK;
}
