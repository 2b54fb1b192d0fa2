/* Op topk: the largest or smallest numbers of each row, in order, or where they
 * stand. */
#include <math.h>
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

enum { X, Y };
enum { SMALLEST, PLACES, WORDS };

/* Of a row. */
#define MOST 64

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, SMALLEST, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, PLACES, 0, 1, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, ET_SCALAR_TYPE_FLOAT32, 2, error));
  const int32_t *x = op->tensors[X]->sizes;
  const int32_t count = op->tensors[Y]->sizes[1];
  const int64_t sizes[2] = {x[0], count};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, Y,
                                        et_cpu_attribute(op, PLACES) != 0
                                            ? ET_SCALAR_TYPE_INT64
                                            : ET_SCALAR_TYPE_FLOAT32,
                                        2, sizes, error));
  ET_CPU_CHECK(error, count <= x[1] && count <= MOST,
               "topk: %d of %d numbers, at most %d are taken", (int)count,
               (int)x[1], MOST);
  return ET_STATUS_OK;
}

/* Whether a stands before b. NaN is the largest number. */
static bool is_before(float a, float b, bool smallest) {
  if (isnan(a) || isnan(b)) {
    return smallest ? !isnan(a) : !isnan(b);
  }
  return smallest ? a < b : a > b;
}

/* Puts `place` among the `count` best ones of a row, of which there is room for
 * `most`; of equal numbers the first one stays. Returns how many there are. */
static size_t insert(const float *row, size_t place, size_t *best, size_t count,
                     size_t most, bool smallest) {
  size_t at = count;
  while (at > 0 && is_before(row[place], row[best[at - 1]], smallest)) {
    at--;
  }
  if (at == most) {
    return count;
  }
  const size_t kept = count < most ? count : most - 1;
  memmove(best + at + 1, best + at, (kept - at) * sizeof(*best));
  best[at] = place;
  return kept + 1;
}

static void run_row(void *data, size_t index) {
  const et_cpu_op *op = data;
  const et_cpu_tensor *y = op->tensors[Y];
  const size_t size = (size_t)op->tensors[X]->sizes[1];
  const size_t most = (size_t)y->sizes[1];
  const float *row = (const float *)op->tensors[X]->data + index * size;
  size_t best[MOST];
  size_t count = 0;
  for (size_t i = 0; i < size; i++) {
    count = insert(row, i, best, count, most, op->attributes[SMALLEST] != 0);
  }
  for (size_t i = 0; i < count; i++) {
    if (op->attributes[PLACES] != 0) {
      ((int64_t *)y->data)[index * most + i] = (int64_t)best[i];
    } else {
      ((float *)y->data)[index * most + i] = row[best[i]];
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_op copy = *op;
  if (op->tensors[Y]->numel > 0) {
    et_cpu_for_each(run, (size_t)op->tensors[X]->sizes[0], run_row, &copy);
  }
}

static const et_cpu_op_type op_type = {"topk", check, run, 0, NULL};
const et_backend_part et_cpu_op_topk = {ET_CPU_OP_TOPK, &op_type};
