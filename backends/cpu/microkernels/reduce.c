/* Implements reduce.h: y[a, c] = reduction of x[a, 0..R, c], for some columns of one outer index.
 *
 * With one column, a row is reduced in the 32 lanes of rows.h. With several columns, the tile is
 * one vector of columns, and rows are combined in order. ARGMAX and ARGMIN compare elements one by
 * one. Otherwise, loads are the bottleneck. */
#include "backends/cpu/microkernels/reduce.h"

#include <stdbool.h>

#include "backends/cpu/microkernels/rows.h"

#define INFINITE __builtin_inff()

static float reduce_row(et_cpu_reduction reduction, const float *x,
                        size_t count) {
  switch (reduction) {
    case ET_CPU_REDUCTION_MEAN:
      return et_row_sum(x, count) / (float)count;
    case ET_CPU_REDUCTION_MAX:
      return et_row_max(x, count);
    case ET_CPU_REDUCTION_MIN:
      return et_row_reduce(x, count, et_join_smaller, et_join_smaller, INFINITE,
                           0.0f);
    case ET_CPU_REDUCTION_PRODUCT:
      return et_row_reduce(x, count, et_join_product, et_join_product, 1.0f,
                           0.0f);
    default:
      return et_row_sum(x, count);
  }
}

/* Combines all rows, for `some` <= ET_CPU_LANES columns. `x` points to the first row. */
ET_INLINE et_f32 join_columns(const et_cpu_reduce *r, const float *x,
                              size_t some, et_row_join *join, float start) {
  et_f32 joined = et_f32_all(start);
  for (size_t i = 0; i < r->count; i++, x += r->columns) {
    const et_f32 next =
        some == ET_CPU_LANES ? et_f32_load(x) : et_f32_load_some(x, some);
    joined = join(joined, next, next);
  }
  return joined;
}

static et_f32 reduce_columns(const et_cpu_reduce *r, const float *x,
                             size_t some) {
  switch (r->reduction) {
    case ET_CPU_REDUCTION_MEAN:
      return join_columns(r, x, some, et_join_sum, 0.0f) /
             et_f32_all((float)r->count);
    case ET_CPU_REDUCTION_MAX:
      return join_columns(r, x, some, et_join_larger, -INFINITE);
    case ET_CPU_REDUCTION_MIN:
      return join_columns(r, x, some, et_join_smaller, INFINITE);
    case ET_CPU_REDUCTION_PRODUCT:
      return join_columns(r, x, some, et_join_product, 1.0f);
    default:
      return join_columns(r, x, some, et_join_sum, 0.0f);
  }
}

/* Returns whether `x` replaces `best`. The first NaN wins. */
static bool is_better(et_cpu_reduction reduction, float x, float best) {
  if (x != x || best != best) {
    return best == best;
  }
  return reduction == ET_CPU_REDUCTION_ARGMAX ? x > best : x < best;
}

static int64_t find_index(const et_cpu_reduce *r, const float *x) {
  size_t best = 0;
  for (size_t i = 1; i < r->count; i++) {
    if (is_better(r->reduction, x[i * r->columns], x[best * r->columns])) {
      best = i;
    }
  }
  return (int64_t)best;
}

void ET_CPU_NAME(et_cpu_reduce_f32)(const et_cpu_reduce *reduce, size_t outer,
                                    size_t first, size_t columns) {
  const float *x = reduce->x + outer * reduce->count * reduce->columns;
  const size_t to = outer * reduce->columns;
  for (size_t i = first; i < first + columns; i += ET_CPU_LANES) {
    const size_t left = first + columns - i;
    const size_t some = left < ET_CPU_LANES ? left : ET_CPU_LANES;
    for (size_t k = 0; reduce->out == NULL && k < some; k++) {
      reduce->indices[to + i + k] = find_index(reduce, x + i + k);
    }
    if (reduce->out != NULL && reduce->columns == 1) {
      reduce->out[to] = reduce_row(reduce->reduction, x, reduce->count);
    } else if (reduce->out != NULL) {
      et_f32_store_some(reduce->out + to + i,
                        reduce_columns(reduce, x + i, some), some);
    }
  }
}
