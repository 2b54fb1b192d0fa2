#include "kernels/portable/pad.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

#define PAD_DIMS 3

typedef struct padding {
  et_pad_rule rule;
  const char *what;
  size_t dims;  /* number of padded dimensions */
  size_t first; /* first padded dimension */
  int64_t before[PAD_DIMS];
} padding;

/* Returns the index of the element of self, which has `size` elements, that
 * corresponds to `position`. */
static int64_t source(et_pad_rule rule, int64_t position, int64_t size) {
  if (position < 0) {
    return rule == ET_PAD_REFLECT ? -position : 0;
  }
  if (position >= size) {
    return rule == ET_PAD_REFLECT ? 2 * (size - 1) - position : size - 1;
  }
  return position;
}

/* Returns the part of `in` for index `o` of dimension p->first, without that
 * dimension. The next padded dimension is then p->first again. */
static et_view pick(const padding *p, size_t k, const et_view *in, int64_t o) {
  const int64_t position = o - p->before[k];
  return et_view_select(in, p->first,
                        source(p->rule, position, in->sizes[p->first]));
}

/* Pads the last dimension: copies self in one call, then fills the padding
 * element by element. */
static et_status pad_last(et_kernel_context *context, const padding *p,
                          size_t k, const et_view *in, const et_view *out) {
  const int64_t size = out->sizes[p->first];
  const int64_t inside_end = p->before[k] + in->sizes[p->first];
  const int64_t end = inside_end < size ? inside_end : size;
  const int64_t start = p->before[k] > 0 ? p->before[k] : 0;
  if (end > start) {
    const int32_t count = (int32_t)(end - start);
    const et_view from =
        et_view_slice(in, p->first, start - p->before[k], 1, count);
    const et_view to = et_view_slice(out, p->first, start, 1, count);
    ET_RETURN_IF_ERROR(et_copy_view(context, p->what, &from, &to));
  }
  for (int64_t o = 0; o < size; o++) {
    if (o < start || o >= end) {
      const et_view from = pick(p, k, in, o);
      const et_view to = et_view_select(out, p->first, o);
      ET_RETURN_IF_ERROR(et_copy_view(context, p->what, &from, &to));
    }
  }
  return ET_STATUS_OK;
}

static et_status pad_from(et_kernel_context *context, const padding *p,
                          size_t k, const et_view *in, const et_view *out) {
  /* dims <= PAD_DIMS; the second comparison is for the compiler */
  if (k + 1 == p->dims || k + 1 == PAD_DIMS) {
    return pad_last(context, p, k, in, out);
  }
  for (int64_t o = 0; o < out->sizes[p->first]; o++) {
    const et_view from = pick(p, k, in, o);
    const et_view to = et_view_select(out, p->first, o);
    ET_RETURN_IF_ERROR(pad_from(context, p, k + 1, &from, &to));
  }
  return ET_STATUS_OK;
}

/* Reads the padding of dimension p->first + k, and computes the output size. */
static et_status read_pair(et_kernel_context *context, const int64_t *pair,
                           size_t k, int32_t in, padding *p, int32_t *out) {
  const int64_t limit = p->rule == ET_PAD_REFLECT ? (int64_t)in - 1 : INT32_MAX;
  const int64_t size = in + pair[0] + pair[1];
  ET_CHECK(context, in >= 1 && pair[0] <= limit && pair[1] <= limit,
           "%s: padding (%lld, %lld) is not valid for size %d", p->what,
           (long long)pair[0], (long long)pair[1], (int)in);
  ET_CHECK(context, size >= 1 && size <= INT32_MAX,
           "%s: dimension %zu would have size %lld", p->what, p->first + k,
           (long long)size);
  p->before[k] = pair[0];
  *out = (int32_t)size;
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_tensor *self,
                            const et_value *list, padding *p, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  int64_t amounts[2 * PAD_DIMS];
  ET_RETURN_IF_ERROR(et_arg_ints(context, p->what, list, 2 * p->dims, INT32_MIN,
                                 INT32_MAX, NULL, amounts));
  for (size_t d = 0; d < p->first; d++) {
    sizes[d] = self->sizes[d];
  }
  for (size_t k = 0; k < p->dims; k++) {
    const size_t d = p->first + k;
    ET_RETURN_IF_ERROR(read_pair(context, &amounts[2 * (p->dims - 1 - k)], k,
                                 self->sizes[d], p, &sizes[d]));
  }
  return et_tensor_resize(out, sizes, self->rank, context->error);
}

et_status et_pad_edges(et_kernel_context *context, const char *what,
                       et_pad_rule rule, size_t dims, et_value *const *args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, out));
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, self, dims + 1, dims + 2));
  padding p = {rule, what, dims, self->rank - dims, {0}};
  ET_RETURN_IF_ERROR(resize_out(context, self, args[1], &p, out));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  return pad_from(context, &p, 0, &from, &to);
}
