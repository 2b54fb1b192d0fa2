#include "executorch/kernels/view.h"

et_view et_view_of(const et_tensor *tensor) {
  et_view view = {tensor->data, tensor->dtype, tensor->rank, {0}, {0}};
  for (size_t d = 0; d < tensor->rank; d++) {
    view.sizes[d] = tensor->sizes[d];
    view.strides[d] = tensor->strides[d];
  }
  return view;
}

et_view et_view_permute(const et_view *view, const uint8_t *dims) {
  et_view out = *view;
  for (size_t d = 0; d < view->rank; d++) {
    out.sizes[d] = view->sizes[dims[d]];
    out.strides[d] = view->strides[dims[d]];
  }
  return out;
}

/* An empty view keeps its data pointer: an offset could leave the
 * allocation. */
static void move_start(et_view *view, int64_t elements) {
  for (size_t d = 0; d < view->rank; d++) {
    if (view->sizes[d] == 0) {
      return;
    }
  }
  view->data += elements * (int64_t)et_scalar_type_size((int32_t)view->dtype);
}

et_view et_view_slice(const et_view *view, size_t dim, int64_t start,
                      int64_t step, int32_t count) {
  et_view out = *view;
  out.sizes[dim] = count;
  out.strides[dim] = count > 1 ? view->strides[dim] * step : 0;
  move_start(&out, start * view->strides[dim]);
  return out;
}

et_view et_view_select(const et_view *view, size_t dim, int64_t index) {
  et_view out = *view;
  out.rank = view->rank - 1;
  for (size_t d = dim; d < out.rank; d++) {
    out.sizes[d] = view->sizes[d + 1];
    out.strides[d] = view->strides[d + 1];
  }
  move_start(&out, index * view->strides[dim]);
  return out;
}

bool et_view_expand(const et_view *view, const int32_t *sizes, size_t rank,
                    et_view *out) {
  if (view->rank > rank) {
    return false;
  }
  const size_t added = rank - view->rank;
  *out = *view;
  out->rank = rank;
  for (size_t d = 0; d < rank; d++) {
    const int32_t size = d < added ? 1 : view->sizes[d - added];
    if (size != sizes[d] && size != 1) {
      return false;
    }
    out->sizes[d] = sizes[d];
    out->strides[d] =
        d < added || size != sizes[d] ? 0 : view->strides[d - added];
  }
  return true;
}

int64_t et_view_offset(const et_view *view, size_t index) {
  int64_t offset = 0;
  for (size_t d = view->rank; d-- > 0;) {
    const size_t size = (size_t)view->sizes[d];
    offset += (int64_t)(index % size) * view->strides[d];
    index /= size;
  }
  return offset;
}
