/* Op cumsum: running sums over the middle one of three dims. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

enum { X, Y };

/* Columns that are summed side by side. */
#define COLUMNS 64

static bool is_float(const et_cpu_op *op) {
  return op->tensors[X]->dtype == ET_SCALAR_TYPE_FLOAT32;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *x = op->tensors[X];
  ET_CPU_CHECK(error,
               is_float(op) || x->dtype == ET_SCALAR_TYPE_INT64 ||
                   x->dtype == ET_SCALAR_TYPE_INT32 ||
                   x->dtype == ET_SCALAR_TYPE_BOOL,
               "cumsum: tensor 0 is %s, expected float32, bool, int64 or int32",
               et_scalar_type_name(x->dtype));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, (et_scalar_type)x->dtype, 3, error));
  const int64_t sizes[3] = {x->sizes[0], x->sizes[1], x->sizes[2]};
  return et_cpu_check_sizes(
      op, Y, is_float(op) ? ET_SCALAR_TYPE_FLOAT32 : ET_SCALAR_TYPE_INT64, 3,
      sizes, error);
}

static uint64_t whole_at(const et_cpu_tensor *x, size_t i) {
  switch (x->dtype) {
    case ET_SCALAR_TYPE_INT64:
      return ((const uint64_t *)x->data)[i];
    case ET_SCALAR_TYPE_INT32:
      return (uint64_t)(int64_t)((const int32_t *)x->data)[i];
    default:
      return ((const uint8_t *)x->data)[i] != 0;
  }
}

/* Sums of floats are kept as doubles, as PyTorch does; those of whole numbers
 * wrap around. */
typedef union sums {
  double floats[COLUMNS];
  uint64_t wholes[COLUMNS];
} sums;

/* Adds a row of `count` numbers, from element `at` on, to sums, and writes them
 * there. */
static void add_row(const et_cpu_op *op, size_t at, size_t count, sums *s) {
  const et_cpu_tensor *x = op->tensors[X];
  void *y = op->tensors[Y]->data;
  for (size_t c = 0; c < count; c++) {
    if (is_float(op)) {
      s->floats[c] += (double)((const float *)x->data)[at + c];
      ((float *)y)[at + c] = (float)s->floats[c];
    } else {
      s->wholes[c] += whole_at(x, at + c);
      ((uint64_t *)y)[at + c] = s->wholes[c];
    }
  }
}

/* Some columns of one outer index. */
static void run_columns(void *data, size_t index) {
  const et_cpu_op *op = data;
  const int32_t *sizes = op->tensors[X]->sizes;
  const size_t columns = (size_t)sizes[2];
  const size_t blocks = et_cpu_parts(columns, COLUMNS);
  const size_t block = index % blocks;
  const size_t first = index / blocks * (size_t)sizes[1] * columns;
  const size_t count = et_cpu_part(columns, COLUMNS, block);
  sums s;
  memset(&s, 0, sizeof(s));
  for (size_t row = 0; row < (size_t)sizes[1]; row++) {
    add_row(op, first + row * columns + block * COLUMNS, count, &s);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *x = op->tensors[X];
  et_cpu_op copy = *op;
  et_cpu_for_each(
      run, (size_t)x->sizes[0] * et_cpu_parts((size_t)x->sizes[2], COLUMNS),
      run_columns, &copy);
}

static const et_cpu_op_type op_type = {"cumsum", check, run, 0, NULL};
const et_backend_part et_cpu_op_cumsum = {ET_CPU_OP_CUMSUM, &op_type};
