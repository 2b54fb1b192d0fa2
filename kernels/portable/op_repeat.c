#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

/* Views `self` with leading dimensions of size 1, so that it has one dimension
 * for each repeat count. */
static et_status align(et_kernel_context *context, const et_tensor *self,
                       size_t rank, et_view *tile) {
  int32_t sizes[ET_MAX_RANK];
  const et_view view = et_view_of(self);
  ET_CHECK(context, rank >= self->rank,
           "repeat: got %zu repeats for %d dimensions", rank, (int)self->rank);
  for (size_t d = 0; d < rank; d++) {
    const size_t added = rank - self->rank;
    sizes[d] = d < added ? 1 : self->sizes[d - added];
  }
  et_view_expand(&view, sizes, rank, tile);
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_view *tile,
                            const int32_t *repeats, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  for (size_t d = 0; d < tile->rank; d++) {
    const int64_t size = (int64_t)tile->sizes[d] * repeats[d];
    ET_CHECK(context, size >= 0 && size <= INT32_MAX,
             "repeat: dimension %zu would have size %lld", d, (long long)size);
    sizes[d] = (int32_t)size;
  }
  return et_tensor_resize(out, sizes, tile->rank, context->error);
}

/* Returns the view of copy `i` of the tile in `whole`. */
static et_view position(const et_view *whole, const et_view *tile, size_t i,
                        const int32_t *repeats) {
  et_view view = *whole;
  for (size_t d = tile->rank; d-- > 0;) {
    const size_t count = (size_t)repeats[d];
    const int64_t start = (int64_t)(i % count) * tile->sizes[d];
    view = et_view_slice(&view, d, start, 1, tile->sizes[d]);
    i /= count;
  }
  return view;
}

et_status et_op_repeat_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  int32_t repeats[ET_MAX_RANK];
  size_t rank = 0;
  et_view tile;
  ET_RETURN_IF_ERROR(
      et_arg_sizes(context, "repeat: repeats", args[1], repeats, &rank));
  ET_RETURN_IF_ERROR(align(context, self, rank, &tile));
  ET_RETURN_IF_ERROR(resize_out(context, &tile, repeats, out));
  const et_view whole = et_view_of(out);
  const size_t count = out->numel == 0 ? 0 : out->numel / self->numel;
  for (size_t i = 0; i < count; i++) {
    const et_view to = position(&whole, &tile, i, repeats);
    ET_RETURN_IF_ERROR(et_copy_view(context, "repeat", &tile, &to));
  }
  return ET_STATUS_OK;
}
