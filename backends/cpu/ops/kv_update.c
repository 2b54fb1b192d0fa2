/* Op kv_update: replaces rows of a cache. It works in place if the output is the cache. */
#include "backends/cpu/schema/kv_update.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_kv_update_args args = et_cpu_kv_update_args_of(op);
  const et_cpu_tensor *cache = args.cache;
  const int dims = args.positions != NULL ? 0 : 1;
  const int64_t rows[3] = {cache->sizes[0], args.rows->sizes[1],
                           cache->sizes[2]};
  ET_CPU_CHECK(error, op->dim_count == dims, "kv_update: %d dims, expected %d",
               (int)op->dim_count, dims);
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, args.rows, (et_scalar_type)cache->dtype, error));
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.rows, 3, rows, error));
  if (args.positions != NULL) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_elements(op, args.positions, rows[1], error));
  }
  return et_cpu_check_alike(op, args.y, cache, error);
}

typedef struct work {
  et_cpu_kv_update_args args;
  int32_t start; /* position of row 0, if args.positions is NULL */
} work;

/* Returns the index in the cache of new row `i`. */
static int64_t position_of(const work *w, size_t i) {
  if (w->args.positions == NULL) {
    return w->start + (int64_t)i;
  }
  const int64_t position = et_cpu_index_at(w->args.positions, i);
  return position < 0 ? position + w->args.cache->sizes[1] : position;
}

/* Returns whether all positions are in the cache. If not, sets the fault of the call. */
static bool fits(const work *w, const et_cpu_run *run) {
  const int64_t rows = w->args.cache->sizes[1];
  for (size_t i = 0; i < (size_t)w->args.rows->sizes[1]; i++) {
    const int64_t position = position_of(w, i);
    if (position < 0 || position >= rows) {
      ET_CPU_FAIL(run, "kv_update: row %lld is out of range for %lld rows",
                  (long long)position, (long long)rows);
      return false;
    }
  }
  return true;
}

/* Writes the rows of one outer index. */
static void write_rows(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *y = w->args.y;
  const et_cpu_tensor *rows = w->args.rows;
  const size_t count = (size_t)rows->sizes[1];
  const size_t bytes = rows->bytes / ((size_t)rows->sizes[0] * count);
  char *to = (char *)y->data + index * (size_t)y->sizes[1] * bytes;
  const char *from = (const char *)rows->data + index * count * bytes;
  for (size_t i = 0; i < count; i++) {
    memcpy(to + (size_t)position_of(w, i) * bytes, from + i * bytes, bytes);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.args = et_cpu_kv_update_args_of(op)};
  w.start = w.args.positions == NULL ? *op->dims[0] : 0;
  const et_cpu_tensor *cache = w.args.cache;
  const et_cpu_tensor *y = w.args.y;
  if (!fits(&w, run)) {
    return;
  }
  if (y->data != cache->data && y->bytes > 0) {
    memcpy(y->data, cache->data, y->bytes);
  }
  if (w.args.rows->numel > 0) {
    et_cpu_for_each(run, (size_t)cache->sizes[0], write_rows, &w);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_kv_update_schema, check, run};
const et_backend_part et_cpu_op_kv_update = {ET_CPU_OP_KV_UPDATE, &op_type};
