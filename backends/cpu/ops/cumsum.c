/* Op cumsum: cumulative sums over the middle of three dims. */
#include "backends/cpu/schema/cumsum.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

/* Number of adjacent columns that are summed together. */
#define COLUMNS 64

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_cumsum_args args = et_cpu_cumsum_args_of(op);
  const et_cpu_tensor *x = args.x;
  const int64_t sizes[3] = {x->sizes[0], x->sizes[1], x->sizes[2]};
  ET_RETURN_IF_ERROR(et_cpu_check_dtype(op, args.y,
                                        x->dtype == ET_SCALAR_TYPE_FLOAT32
                                            ? ET_SCALAR_TYPE_FLOAT32
                                            : ET_SCALAR_TYPE_INT64,
                                        error));
  return et_cpu_check_shape(op, args.y, 3, sizes, error);
}

static uint64_t integer_at(const et_cpu_tensor *x, size_t i) {
  switch (x->dtype) {
    case ET_SCALAR_TYPE_INT64:
      return ((const uint64_t *)x->data)[i];
    case ET_SCALAR_TYPE_INT32:
      return (uint64_t)(int64_t)((const int32_t *)x->data)[i];
    default:
      return ((const uint8_t *)x->data)[i] != 0;
  }
}

/* Accumulators as in PyTorch: float32 values are accumulated in double, and integer sums wrap
 * around. */
typedef union sums {
  double floats[COLUMNS];
  uint64_t integers[COLUMNS];
} sums;

/* Adds elements `at` to `at + count - 1` of x to the sums, and writes the sums to the same elements
 * of y. */
static void add_row(const et_cpu_cumsum_args *args, size_t at, size_t count,
                    sums *s) {
  const et_cpu_tensor *x = args->x;
  void *y = args->y->data;
  for (size_t c = 0; c < count; c++) {
    if (x->dtype == ET_SCALAR_TYPE_FLOAT32) {
      s->floats[c] += (double)((const float *)x->data)[at + c];
      ((float *)y)[at + c] = (float)s->floats[c];
    } else {
      s->integers[c] += integer_at(x, at + c);
      ((uint64_t *)y)[at + c] = s->integers[c];
    }
  }
}

/* Computes one block of columns for one outer index. */
static void run_columns(void *data, size_t index) {
  const et_cpu_cumsum_args *args = data;
  const int32_t *sizes = args->x->sizes;
  const size_t columns = (size_t)sizes[2];
  const size_t blocks = et_cpu_parts(columns, COLUMNS);
  const size_t block = index % blocks;
  const size_t first = index / blocks * (size_t)sizes[1] * columns;
  const size_t count = et_cpu_part(columns, COLUMNS, block);
  sums s;
  memset(&s, 0, sizeof(s));
  for (size_t row = 0; row < (size_t)sizes[1]; row++) {
    add_row(args, first + row * columns + block * COLUMNS, count, &s);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_cumsum_args args = et_cpu_cumsum_args_of(op);
  const int32_t *sizes = args.x->sizes;
  et_cpu_for_each(run,
                  (size_t)sizes[0] * et_cpu_parts((size_t)sizes[2], COLUMNS),
                  run_columns, &args);
}

static const et_cpu_op_type op_type = {&et_cpu_cumsum_schema, check, run};
const et_backend_part et_cpu_op_cumsum = {ET_CPU_OP_CUMSUM, &op_type};
