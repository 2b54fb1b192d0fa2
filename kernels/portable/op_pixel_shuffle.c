/* pixel_shuffle and pixel_unshuffle. They map r * r channels of a
 * low-resolution image to the pixels of one channel of a high-resolution image,
 * or the reverse. Both images are viewed as [..., C, r, r, H, W]. */
#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Returns a view of the leading dimensions and C, followed by four dimensions
 * that the caller sets. */
static et_view leading(const et_view *view, int32_t channels, int64_t stride) {
  et_view out = *view;
  out.sizes[view->rank - 3] = channels;
  out.strides[view->rank - 3] = stride;
  out.rank = view->rank + 2;
  return out;
}

static void set(et_view *view, size_t from_end, int32_t size, int64_t stride) {
  view->sizes[view->rank - from_end] = size;
  view->strides[view->rank - from_end] = stride;
}

static et_view coarse(const et_tensor *tensor, int32_t r) {
  const et_view view = et_view_of(tensor);
  const size_t n = view.rank;
  const int64_t c = view.strides[n - 3];
  et_view out = leading(&view, view.sizes[n - 3] / (r * r), c * r * r);
  set(&out, 4, r, c * r);
  set(&out, 3, r, c);
  set(&out, 2, view.sizes[n - 2], view.strides[n - 2]);
  set(&out, 1, view.sizes[n - 1], view.strides[n - 1]);
  return out;
}

static et_view fine(const et_tensor *tensor, int32_t r) {
  const et_view view = et_view_of(tensor);
  const size_t n = view.rank;
  et_view out = leading(&view, view.sizes[n - 3], view.strides[n - 3]);
  set(&out, 4, r, view.strides[n - 2]);
  set(&out, 3, r, view.strides[n - 1]);
  set(&out, 2, view.sizes[n - 2] / r, view.strides[n - 2] * r);
  set(&out, 1, view.sizes[n - 1] / r, view.strides[n - 1] * r);
  return out;
}

/* Divides `size` by `by` if `down` is true, otherwise multiplies. */
static et_status scale(et_kernel_context *context, const char *what, size_t dim,
                       int64_t by, bool down, int32_t *size) {
  ET_CHECK(context, !down || *size % by == 0,
           "%s: size %d of dimension %zu is not divisible by %lld", what,
           (int)*size, dim, (long long)by);
  const int64_t scaled = down ? *size / by : *size * by;
  ET_CHECK(context, scaled <= INT32_MAX,
           "%s: dimension %zu would have size %lld", what, dim,
           (long long)scaled);
  *size = (int32_t)scaled;
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const char *what,
                            const et_tensor *self, int64_t factor, bool up,
                            et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  const size_t rank = self->rank;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, out));
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, self, 3, ET_MAX_RANK - 2));
  ET_CHECK(context, factor >= 1 && factor <= INT16_MAX,
           "%s: factor %lld is not in [1, %d]", what, (long long)factor,
           INT16_MAX);
  for (size_t d = 0; d < rank; d++) {
    sizes[d] = self->sizes[d];
  }
  ET_RETURN_IF_ERROR(
      scale(context, what, rank - 3, factor * factor, up, &sizes[rank - 3]));
  ET_RETURN_IF_ERROR(
      scale(context, what, rank - 2, factor, !up, &sizes[rank - 2]));
  ET_RETURN_IF_ERROR(
      scale(context, what, rank - 1, factor, !up, &sizes[rank - 1]));
  return et_tensor_resize(out, sizes, rank, context->error);
}

et_status et_op_pixel_shuffle_out(et_kernel_context *context, et_value **args) {
  const int64_t factor = args[1]->u.as_int;
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(resize_out(context, "pixel_shuffle", args[0]->u.as_tensor,
                                factor, true, out));
  const et_view from = coarse(args[0]->u.as_tensor, (int32_t)factor);
  const et_view to = fine(out, (int32_t)factor);
  return et_copy_view(context, "pixel_shuffle", &from, &to);
}

/* PyTorch returns an empty tensor unchanged. In a program with static shapes,
 * the output has the planned shape instead. */
static bool stays(const et_tensor *self, const et_tensor *out) {
  return self->numel == 0 && out->dynamism != ET_SHAPE_STATIC;
}

et_status et_op_pixel_unshuffle_out(et_kernel_context *context,
                                    et_value **args) {
  const int64_t factor = args[1]->u.as_int;
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(resize_out(context, "pixel_unshuffle",
                                args[0]->u.as_tensor, factor, false, out));
  if (stays(args[0]->u.as_tensor, out)) {
    return et_shape_resize_like(context, out, args[0]->u.as_tensor);
  }
  const et_view from = fine(args[0]->u.as_tensor, (int32_t)factor);
  const et_view to = coarse(out, (int32_t)factor);
  return et_copy_view(context, "pixel_unshuffle", &from, &to);
}
