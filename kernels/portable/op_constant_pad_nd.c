#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Padding before and after each dimension. Negative values crop. */
typedef struct padding {
  int64_t before[ET_MAX_RANK];
  int64_t after[ET_MAX_RANK];
} padding;

/* The list has (before, after) pairs, from the last dimension. */
static et_status read_padding(et_kernel_context *context, const et_value *list,
                              const et_tensor *self, padding *pad) {
  const size_t count = list->u.as_list.size;
  ET_CHECK(context, count % 2 == 0 && count / 2 <= self->rank,
           "constant_pad_nd: %zu paddings for %d dimensions", count,
           (int)self->rank);
  *pad = (padding){{0}, {0}};
  for (size_t i = 0; i < count; i++) {
    const int64_t amount = et_int_list_at(list, i);
    const size_t d = self->rank - 1 - i / 2;
    ET_CHECK(context, amount >= INT32_MIN && amount <= INT32_MAX,
             "constant_pad_nd: pad[%zu] = %lld is too large", i,
             (long long)amount);
    (i % 2 == 0 ? pad->before : pad->after)[d] = amount;
  }
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_tensor *self,
                            const padding *pad, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  for (size_t d = 0; d < self->rank; d++) {
    const int64_t size = self->sizes[d] + pad->before[d] + pad->after[d];
    ET_CHECK(context, size >= 0 && size <= INT32_MAX,
             "constant_pad_nd: dimension %zu would have size %lld", d,
             (long long)size);
    sizes[d] = (int32_t)size;
  }
  return et_tensor_resize(out, sizes, self->rank, context->error);
}

/* Crops both views to their common part. */
static void overlap(const padding *pad, et_view *in, et_view *out) {
  for (size_t d = 0; d < in->rank; d++) {
    const int64_t before = pad->before[d];
    const int64_t in_start = before < 0 ? -before : 0;
    const int64_t out_start = before > 0 ? before : 0;
    const int64_t in_rest = in->sizes[d] - in_start;
    const int64_t out_rest = out->sizes[d] - out_start;
    const int64_t rest = in_rest < out_rest ? in_rest : out_rest;
    const int32_t count = rest > 0 ? (int32_t)rest : 0;
    *in = et_view_slice(in, d, count > 0 ? in_start : 0, 1, count);
    *out = et_view_slice(out, d, count > 0 ? out_start : 0, 1, count);
  }
}

et_status et_op_constant_pad_nd_out(et_kernel_context *context,
                                    et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  padding pad;
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "constant_pad_nd", self, out));
  ET_RETURN_IF_ERROR(read_padding(context, args[1], self, &pad));
  ET_RETURN_IF_ERROR(resize_out(context, self, &pad, out));
  et_view to = et_view_of(out);
  et_view from = et_view_of(self);
  ET_RETURN_IF_ERROR(et_fill_view(context, "constant_pad_nd", args[2], &to));
  overlap(&pad, &from, &to);
  return et_copy_view(context, "constant_pad_nd", &from, &to);
}
