/* Op topk: the k largest or smallest elements of each row in order, or their indices. */
#include "backends/cpu/schema/topk.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/schema/kernel_sizes.h"

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_topk_args args = et_cpu_topk_args_of(op);
  const int32_t *x = args.x->sizes;
  const int32_t k = args.y->sizes[1];
  const int32_t max = x[1] < ET_CPU_TOPK_MAX_K ? x[1] : ET_CPU_TOPK_MAX_K;
  const int64_t sizes[2] = {x[0], k};
  ET_RETURN_IF_ERROR(et_cpu_check_dtype(
      op, args.y,
      args.attributes.indices ? ET_SCALAR_TYPE_INT64 : ET_SCALAR_TYPE_FLOAT32,
      error));
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.y, 2, sizes, error));
  ET_CPU_CHECK(error, k <= max, "topk: k is %d, expected at most %d", (int)k,
               (int)max);
  return ET_STATUS_OK;
}

/* Returns whether a precedes b in the output. NaN is the largest value. */
static bool is_before(float a, float b, bool smallest) {
  if (isnan(a) || isnan(b)) {
    return smallest ? !isnan(a) : !isnan(b);
  }
  return smallest ? a < b : a > b;
}

/* Inserts `index` into `best`, the sorted indices of `count` elements of a row. Keeps the first
 * `max` indices. Equal elements keep their order. Returns the new count. */
static size_t insert(const float *row, size_t index, size_t *best, size_t count,
                     size_t max, bool smallest) {
  size_t at = count;
  while (at > 0 && is_before(row[index], row[best[at - 1]], smallest)) {
    at--;
  }
  if (at == max) {
    return count;
  }
  const size_t kept = count < max ? count : max - 1;
  memmove(best + at + 1, best + at, (kept - at) * sizeof(*best));
  best[at] = index;
  return kept + 1;
}

static void run_row(void *data, size_t index) {
  const et_cpu_topk_args *args = data;
  const et_cpu_tensor *y = args->y;
  const size_t size = (size_t)args->x->sizes[1];
  const size_t k = (size_t)y->sizes[1];
  const float *row = (const float *)args->x->data + index * size;
  size_t best[ET_CPU_TOPK_MAX_K];
  size_t count = 0;
  for (size_t i = 0; i < size; i++) {
    count = insert(row, i, best, count, k, args->attributes.smallest);
  }
  for (size_t i = 0; i < count; i++) {
    if (args->attributes.indices) {
      ((int64_t *)y->data)[index * k + i] = (int64_t)best[i];
    } else {
      ((float *)y->data)[index * k + i] = row[best[i]];
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_topk_args args = et_cpu_topk_args_of(op);
  if (args.y->numel > 0) {
    et_cpu_for_each(run, (size_t)args.x->sizes[0], run_row, &args);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_topk_schema, check, run};
const et_backend_part et_cpu_op_topk = {ET_CPU_OP_TOPK, &op_type};
