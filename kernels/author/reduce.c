#include "executorch/kernels/reduce.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

static void add_dim(et_view *view, int32_t size, int64_t stride) {
  view->sizes[view->rank] = size;
  view->strides[view->rank] = stride;
  view->rank++;
}

static et_view no_dims(const et_tensor *tensor) {
  return (et_view){tensor->data, tensor->dtype, 0, {0}, {0}};
}

static void split_self(const et_tensor *self, const bool *axes,
                       et_reduction *r) {
  r->kept = no_dims(self);
  r->reduced = no_dims(self);
  r->count = 1;
  for (size_t d = 0; d < self->rank; d++) {
    add_dim(axes[d] ? &r->reduced : &r->kept, self->sizes[d], self->strides[d]);
    r->count *= axes[d] ? (size_t)self->sizes[d] : 1;
  }
}

/* Returns the kept dimensions of `out`, without the dimensions of size 1 that
 * keepdim adds. */
static et_view kept_of(const et_tensor *out, const bool *axes, size_t rank,
                       bool keepdim) {
  et_view view = no_dims(out);
  size_t out_dim = 0;
  for (size_t d = 0; d < rank; d++) {
    if (!axes[d]) {
      add_dim(&view, out->sizes[out_dim], out->strides[out_dim]);
    }
    out_dim += !axes[d] || keepdim ? 1 : 0;
  }
  return view;
}

static size_t result_sizes(const et_tensor *self, const bool *axes,
                           bool keepdim, int32_t *sizes) {
  size_t rank = 0;
  for (size_t d = 0; d < self->rank; d++) {
    if (!axes[d]) {
      sizes[rank++] = self->sizes[d];
    } else if (keepdim) {
      sizes[rank++] = 1;
    }
  }
  return rank;
}

static et_status read_axes(et_kernel_context *context, const char *what,
                           const et_value *dims, size_t rank, bool *axes) {
  et_value item = dims == NULL ? (et_value){ET_VALUE_NONE, {0}} : *dims;
  et_value *items = &item;
  const et_value list = {ET_VALUE_INT_LIST, {.as_list = {&items, 1}}};
  return et_shape_axes(context, what, item.tag == ET_VALUE_INT ? &list : &item,
                       rank, axes);
}

et_status et_reduction_plan(et_kernel_context *context, const char *what,
                            const et_tensor *self, const et_value *dims,
                            bool keepdim, et_tensor *out, et_tensor *second,
                            et_reduction *reduction) {
  bool axes[ET_MAX_RANK];
  int32_t sizes[ET_MAX_RANK];
  et_tensor *const outs[ET_REDUCE_OUTS] = {out, second};
  ET_RETURN_IF_ERROR(read_axes(context, what, dims, self->rank, axes));
  const size_t rank = result_sizes(self, axes, keepdim, sizes);
  reduction->out_count = second == NULL ? 1 : 2;
  for (size_t i = 0; i < reduction->out_count; i++) {
    ET_RETURN_IF_ERROR(et_tensor_resize(outs[i], sizes, rank, context->error));
    reduction->outs[i] = kept_of(outs[i], axes, self->rank, keepdim);
  }
  split_self(self, axes, reduction);
  return ET_STATUS_OK;
}

et_status et_reduction_has_elements(et_kernel_context *context,
                                    const char *what,
                                    const et_reduction *reduction) {
  bool results = true;
  for (size_t d = 0; d < reduction->kept.rank; d++) {
    results = results && reduction->kept.sizes[d] > 0;
  }
  ET_CHECK(context, reduction->count > 0 || !results,
           "%s: the input has no elements", what);
  return ET_STATUS_OK;
}

void et_reduction_run(const et_reduction *reduction, et_reduce_fn fn,
                      const void *state) {
  const size_t last = reduction->out_count;
  et_view views[ET_REDUCE_OUTS + 1] = {reduction->outs[0], reduction->outs[1]};
  views[last] = reduction->kept;
  const et_loop elements = et_loop_over(&reduction->reduced, 1);
  for (et_loop loop = et_loop_over(views, last + 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      uint8_t *at[ET_REDUCE_OUTS + 1];
      for (size_t k = 0; k <= last; k++) {
        at[k] = loop.at[k] + (ptrdiff_t)i * loop.strides[k];
      }
      et_loop inner = elements;
      inner.at[0] = at[last];
      fn(reduction, &inner, at, state);
    }
  }
}

void et_take_elements(et_loop *elements, et_scalar_type dtype,
                      et_compute compute, et_take_fn take, void *state) {
  for (; elements->count > 0; et_loop_next(elements)) {
    for (size_t start = 0; start < elements->count; start += ET_CHUNK) {
      et_chunk chunk;
      const size_t rest = elements->count - start;
      const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
      et_load_run(compute, dtype,
                  elements->at[0] + (ptrdiff_t)start * elements->strides[0],
                  elements->strides[0], n, &chunk);
      take(state, &chunk, n);
    }
  }
}

typedef struct shifted_sum {
  double shift;
  double sum;
} shifted_sum;

static void add_shifted(void *state, const et_chunk *chunk, size_t count) {
  shifted_sum *s = state;
  for (size_t i = 0; i < count; i++) {
    s->sum += chunk->float64[i] - s->shift;
  }
}

static void add_squares(void *state, const et_chunk *chunk, size_t count) {
  shifted_sum *s = state;
  for (size_t i = 0; i < count; i++) {
    const double d = chunk->float64[i] - s->shift;
    s->sum += d * d;
  }
}

double et_sum_elements(et_loop elements, et_scalar_type dtype, double shift,
                       bool squared) {
  shifted_sum s = {shift, 0.0};
  et_take_elements(&elements, dtype, ET_COMPUTE_FLOAT64,
                   squared ? add_squares : add_shifted, &s);
  return s.sum;
}
