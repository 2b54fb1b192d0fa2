#include "executorch/kernels/loop.h"

/* Sorts the dimensions with more than one element by their stride in the first
 * view, smallest first. For equal strides, the later dimension comes first. */
static size_t order_dims(const et_view *view, size_t *dims) {
  size_t count = 0;
  for (size_t d = view->rank; d-- > 0;) {
    if (view->sizes[d] == 1) {
      continue;
    }
    size_t position = count++;
    while (position > 0 &&
           view->strides[dims[position - 1]] > view->strides[d]) {
      dims[position] = dims[position - 1];
      position--;
    }
    dims[position] = d;
  }
  return count;
}

static void add_level(et_loop *loop, const et_view *views, size_t dim) {
  const size_t level = loop->levels++;
  loop->sizes[level] = (size_t)views[0].sizes[dim];
  loop->index[level] = 0;
  for (size_t k = 0; k < loop->operands; k++) {
    const size_t size = et_scalar_type_size((int32_t)views[k].dtype);
    loop->steps[level][k] = (ptrdiff_t)views[k].strides[dim] * (ptrdiff_t)size;
  }
}

/* Returns true if the last level continues the previous one in memory, in all
 * operands. */
static bool last_continues(const et_loop *loop) {
  const size_t outer = loop->levels - 1;
  for (size_t k = 0; k < loop->operands; k++) {
    if (loop->steps[outer][k] !=
        loop->steps[outer - 1][k] * (ptrdiff_t)loop->sizes[outer - 1]) {
      return false;
    }
  }
  return true;
}

static void add_levels(et_loop *loop, const et_view *views) {
  size_t dims[ET_MAX_RANK];
  const size_t count = order_dims(&views[0], dims);
  for (size_t i = 0; i < count; i++) {
    add_level(loop, views, dims[i]);
    if (loop->levels > 1 && last_continues(loop)) {
      loop->levels--;
      loop->sizes[loop->levels - 1] *= loop->sizes[loop->levels];
    }
  }
}

static size_t count_elements(const et_view *view) {
  size_t count = 1;
  for (size_t d = 0; d < view->rank; d++) {
    count *= (size_t)view->sizes[d];
  }
  return count;
}

/* Makes the innermost level the run. */
static void split_run(et_loop *loop) {
  loop->count = 1;
  if (loop->levels == 0) {
    return;
  }
  loop->count = loop->sizes[0];
  for (size_t k = 0; k < loop->operands; k++) {
    loop->strides[k] = loop->steps[0][k];
  }
}

et_loop et_loop_over(const et_view *views, size_t operands) {
  et_loop loop = {0};
  loop.operands = operands;
  for (size_t k = 0; k < operands; k++) {
    loop.at[k] = views[k].data;
  }
  if (count_elements(&views[0]) > 0) {
    add_levels(&loop, views);
    split_run(&loop);
  }
  return loop;
}

void et_loop_next(et_loop *loop) {
  for (size_t level = 1; level < loop->levels; level++) {
    if (++loop->index[level] < loop->sizes[level]) {
      for (size_t k = 0; k < loop->operands; k++) {
        loop->at[k] += loop->steps[level][k];
      }
      return;
    }
    loop->index[level] = 0;
    for (size_t k = 0; k < loop->operands; k++) {
      loop->at[k] -=
          loop->steps[level][k] * (ptrdiff_t)(loop->sizes[level] - 1);
    }
  }
  loop->count = 0;
}
