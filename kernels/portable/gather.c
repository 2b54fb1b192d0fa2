#include "kernels/portable/indexing.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"

static bool is_true(const et_tensor *mask, size_t i) {
  const et_view view = et_view_of(mask);
  return view.data[et_view_offset(&view, i)] != 0;
}

static size_t count_true(const et_tensor *mask) {
  size_t count = 0;
  for (size_t i = 0; i < mask->numel; i++) {
    count += is_true(mask, i) ? 1 : 0;
  }
  return count;
}

/* A mask of rank r indexes r dimensions, starting at `dim`. */
static et_status plan_mask(et_kernel_context *context, const char *what,
                           const et_tensor *mask, size_t dim, et_gather *g) {
  ET_CHECK(context, dim + mask->rank <= g->self.rank,
           "%s: a mask with %d dimensions exceeds those of self", what,
           (int)mask->rank);
  for (size_t d = 0; d < mask->rank; d++) {
    ET_CHECK(context, mask->sizes[d] == g->self.sizes[dim + d],
             "%s: size %d of the mask does not match %d", what,
             (int)mask->sizes[d], (int)g->self.sizes[dim + d]);
    g->dims[d] = dim + d;
  }
  g->mask = mask;
  g->mask_count = count_true(mask);
  g->indexed = mask->rank;
  return ET_STATUS_OK;
}

static bool is_mask(const et_tensor *index) {
  return index->dtype == ET_SCALAR_TYPE_BOOL;
}

/* If another dimension of self is empty, no element is accessed. PyTorch then
 * accepts any index. */
static et_status check_index(et_kernel_context *context, const char *what,
                             const et_tensor *index, int32_t size,
                             bool nothing) {
  ET_RETURN_IF_ERROR(et_index_check_dtype(context, what, index));
  return nothing && size > 0 ? ET_STATUS_OK
                             : et_index_check(context, what, index, size, true);
}

/* Reads the list. `tensors` are the indices that are not None. */
static et_status read_list(et_kernel_context *context, const char *what,
                           const et_tensor *self, const et_value *list,
                           et_gather *g, et_tensor **tensors) {
  size_t dim = 0;
  for (size_t i = 0; i < list->u.as_list.size; i++) {
    et_tensor *index = et_arg_list_tensor(list, i);
    ET_CHECK(context, dim < g->self.rank,
             "%s: more indices than the %zu dimensions of self", what,
             g->self.rank);
    if (index == NULL) {
      dim++;
      continue;
    }
    ET_CHECK(context, g->mask == NULL && (!is_mask(index) || g->indexed == 0),
             "%s: a mask must be the only index", what);
    if (is_mask(index)) {
      ET_RETURN_IF_ERROR(plan_mask(context, what, index, dim, g));
      dim += index->rank;
      continue;
    }
    ET_RETURN_IF_ERROR(check_index(context, what, index, g->self.sizes[dim],
                                   self->numel == 0));
    tensors[g->indexed] = index;
    g->dims[g->indexed++] = dim++;
  }
  ET_CHECK(context, g->indexed > 0, "%s: no dimension is indexed", what);
  return ET_STATUS_OK;
}

static bool is_indexed(const et_gather *g, size_t dim) {
  for (size_t i = 0; i < g->indexed; i++) {
    if (g->dims[i] == dim) {
      return true;
    }
  }
  return false;
}

/* Adjacent indexed dimensions are replaced in place. */
static size_t first_index_dim(const et_gather *g) {
  const bool adjacent = g->dims[g->indexed - 1] - g->dims[0] == g->indexed - 1;
  return adjacent ? g->dims[0] : 0;
}

static et_status plan_sizes(et_kernel_context *context, const char *what,
                            const int32_t *index_sizes, et_gather *g) {
  g->index_first = first_index_dim(g);
  g->rank = 0;
  ET_CHECK(context, g->self.rank - g->indexed + g->index_rank <= ET_MAX_RANK,
           "%s: the result has too many dimensions", what);
  size_t dim = 0;
  for (; g->rank < g->index_first; dim++) {
    g->sizes[g->rank++] = g->self.sizes[dim];
  }
  for (size_t d = 0; d < g->index_rank; d++) {
    g->sizes[g->rank++] = index_sizes[d];
  }
  for (; dim < g->self.rank; dim++) {
    if (!is_indexed(g, dim)) {
      g->sizes[g->rank++] = g->self.sizes[dim];
    }
  }
  return ET_STATUS_OK;
}

et_status et_gather_plan(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *list,
                         et_gather *gather) {
  et_tensor *tensors[ET_MAX_RANK] = {NULL};
  int32_t sizes[ET_MAX_RANK];
  *gather = (et_gather){.self = et_view_of(self)};
  ET_RETURN_IF_ERROR(read_list(context, what, self, list, gather, tensors));
  if (gather->mask != NULL) {
    gather->index_rank = 1;
    sizes[0] = (int32_t)gather->mask_count;
    return plan_sizes(context, what, sizes, gather);
  }
  ET_RETURN_IF_ERROR(et_shape_broadcast(context, what, tensors, gather->indexed,
                                        sizes, &gather->index_rank));
  for (size_t i = 0; i < gather->indexed; i++) {
    const et_view view = et_view_of(tensors[i]);
    et_view_expand(&view, sizes, gather->index_rank, &gather->indices[i]);
  }
  return plan_sizes(context, what, sizes, gather);
}

size_t et_gather_count(const et_gather *gather) {
  size_t count = 1;
  for (size_t d = 0; d < gather->rank; d++) {
    if (gather->sizes[d] == 0) {
      return 0;
    }
  }
  for (size_t d = 0; d < gather->index_rank; d++) {
    count *= (size_t)gather->sizes[gather->index_first + d];
  }
  return count;
}

static int64_t index_in_dim(const et_gather *g, size_t k, size_t i) {
  const int64_t index = et_index_at(&g->indices[k], i);
  return index < 0 ? index + g->self.sizes[g->dims[k]] : index;
}

/* Selects from the last indexed dimension to the first, so that earlier
 * dimensions keep their positions. */
static et_view select_all(const et_gather *g, const int64_t *at) {
  et_view view = g->self;
  for (size_t k = g->indexed; k-- > 0;) {
    view = et_view_select(&view, g->dims[k], at[k]);
  }
  return view;
}

et_view et_gather_self_at(const et_gather *gather, size_t i, size_t *cursor) {
  int64_t at[ET_MAX_RANK];
  if (gather->mask == NULL) {
    for (size_t k = 0; k < gather->indexed; k++) {
      at[k] = index_in_dim(gather, k, i);
    }
    return select_all(gather, at);
  }
  while (!is_true(gather->mask, *cursor)) {
    (*cursor)++;
  }
  size_t rest = (*cursor)++;
  for (size_t k = gather->indexed; k-- > 0;) {
    const size_t size = (size_t)gather->mask->sizes[k];
    at[k] = (int64_t)(rest % size);
    rest /= size;
  }
  return select_all(gather, at);
}

et_view et_gather_result_at(const et_gather *gather, const et_view *result,
                            size_t i) {
  et_view view = *result;
  for (size_t d = gather->index_rank; d-- > 0;) {
    const size_t dim = gather->index_first + d;
    const size_t size = (size_t)result->sizes[dim];
    view = et_view_select(&view, dim, (int64_t)(i % size));
    i /= size;
  }
  return view;
}
