#include "kernels/util/reduce.h"

#include "kernels/util/shape.h"

static void add_dim(et_view *view, int32_t size, int64_t stride) {
  view->sizes[view->rank] = size;
  view->strides[view->rank] = stride;
  view->rank++;
}

static void split(const et_tensor *self, const bool *axes, bool keepdim,
                  const et_tensor *out, et_reduction *r) {
  r->kept = (et_view){self->data, self->dtype, 0, {0}, {0}};
  r->reduced = r->kept;
  r->out = (et_view){out->data, out->dtype, 0, {0}, {0}};
  r->count = 1;
  size_t out_dim = 0;
  for (size_t d = 0; d < self->rank; d++) {
    if (axes[d]) {
      add_dim(&r->reduced, self->sizes[d], self->strides[d]);
      r->count *= (size_t)self->sizes[d];
      out_dim += keepdim ? 1 : 0;
    } else {
      add_dim(&r->kept, self->sizes[d], self->strides[d]);
      add_dim(&r->out, out->sizes[out_dim], out->strides[out_dim]);
      out_dim++;
    }
  }
}

et_status et_reduction_plan(et_kernel_context *context, const char *what,
                            const et_tensor *self, const et_value *dims,
                            bool keepdim, et_tensor *out,
                            et_reduction *reduction) {
  bool axes[ET_MAX_RANK];
  ET_RETURN_IF_ERROR(et_shape_axes(context, what, dims, self->rank, axes));
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  for (size_t d = 0; d < self->rank; d++) {
    if (!axes[d]) {
      sizes[rank++] = self->sizes[d];
    } else if (keepdim) {
      sizes[rank++] = 1;
    }
  }
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  split(self, axes, keepdim, out, reduction);
  return ET_STATUS_OK;
}

void et_reduction_run(const et_reduction *reduction, et_reduce_fn fn) {
  const et_view views[2] = {reduction->out, reduction->kept};
  const et_loop elements = et_loop_over(&reduction->reduced, 1);
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      et_loop inner = elements;
      inner.at[0] = loop.at[1] + (ptrdiff_t)i * loop.strides[1];
      fn(reduction, &inner, loop.at[0] + (ptrdiff_t)i * loop.strides[0]);
    }
  }
}
