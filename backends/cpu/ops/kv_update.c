/* Op kv_update: rows of a cache take new elements, where the cache lies. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/indices.h"
#include "backends/cpu/ops/op_codes.h"

/* Cache [outer, rows, bytes of a row], new rows [outer, count, ...], and perhaps
 * which row each is: else they follow each other from dim 0 on. */
enum { CACHE, ROWS, PLACES, INPUTS };

static const et_cpu_tensor *output(const et_cpu_op *op) {
  return op->tensors[op->input_count];
}

static bool has_places(const et_cpu_op *op) {
  return op->input_count == INPUTS;
}

static et_status check_places(const et_cpu_op *op, et_error *error) {
  if (!has_places(op)) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(et_cpu_check_indices(op, PLACES, error));
  const et_scalar_type dtype = (et_scalar_type)op->tensors[PLACES]->dtype;
  return et_cpu_check_numel(op, PLACES, dtype, op->tensors[ROWS]->sizes[1],
                            error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = PLACES,
      .inputs_most = INPUTS,
      .outputs = 1,
      .dims = has_places(op) ? 0 : 1,
  };
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *cache = op->tensors[CACHE];
  const et_scalar_type dtype = (et_scalar_type)cache->dtype;
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, CACHE, dtype, 3, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, ROWS, dtype, 3, error));
  const int64_t rows[3] = {cache->sizes[0], op->tensors[ROWS]->sizes[1],
                           cache->sizes[2]};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, ROWS, dtype, 3, rows, error));
  ET_RETURN_IF_ERROR(check_places(op, error));
  return et_cpu_check_same(op, op->input_count, CACHE, error);
}

/* The row of the cache that new row `i` becomes; from the end if below zero. */
static int64_t place_of(const et_cpu_op *op, size_t i) {
  if (!has_places(op)) {
    return *op->dims[0] + (int64_t)i;
  }
  const int64_t place = et_cpu_index_at(op->tensors[PLACES], i);
  return place < 0 ? place + op->tensors[CACHE]->sizes[1] : place;
}

/* Whether the cache has every row that is to be written. */
static bool fits(const et_cpu_op *op, const et_cpu_run *run) {
  const int64_t rows = op->tensors[CACHE]->sizes[1];
  for (size_t i = 0; i < (size_t)op->tensors[ROWS]->sizes[1]; i++) {
    const int64_t place = place_of(op, i);
    if (place < 0 || place >= rows) {
      ET_CPU_FAIL(run,
                  "kv_update: row %lld of a cache of %lld; positions must lie "
                  "in it",
                  (long long)place, (long long)rows);
      return false;
    }
  }
  return true;
}

/* The rows of one outer index. */
static void write_rows(void *data, size_t index) {
  const et_cpu_op *op = data;
  const et_cpu_tensor *y = output(op);
  const et_cpu_tensor *rows = op->tensors[ROWS];
  const size_t count = (size_t)rows->sizes[1];
  const size_t bytes = rows->bytes / ((size_t)rows->sizes[0] * count);
  char *to = (char *)y->data + index * (size_t)y->sizes[1] * bytes;
  const char *from = (const char *)rows->data + index * count * bytes;
  for (size_t i = 0; i < count; i++) {
    memcpy(to + (size_t)place_of(op, i) * bytes, from + i * bytes, bytes);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *cache = op->tensors[CACHE];
  const et_cpu_tensor *y = output(op);
  et_cpu_op copy = *op;
  if (!fits(op, run)) {
    return;
  }
  if (y->data != cache->data && y->bytes > 0) {
    memcpy(y->data, cache->data, y->bytes);
  }
  if (op->tensors[ROWS]->numel > 0) {
    et_cpu_for_each(run, (size_t)cache->sizes[0], write_rows, &copy);
  }
}

static const et_cpu_op_type op_type = {"kv_update", check, run, 1, NULL};
const et_backend_part et_cpu_op_kv_update = {ET_CPU_OP_KV_UPDATE, &op_type};
