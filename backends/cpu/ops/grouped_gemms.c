#include "backends/cpu/ops/grouped_gemms.h"

#include <string.h>

#include "backends/cpu/ops/check.h"

et_status et_cpu_grouped_gemm_check(const et_cpu_op *op, et_error *error) {
  const et_cpu_grouped_gemm_f32_args args = et_cpu_grouped_gemm_f32_args_of(op);
  const int32_t *x = args.x->sizes;
  const int32_t columns = args.y->sizes[1];
  const int64_t panels = (columns + (int64_t)15) / 16;
  const int64_t sizes[2] = {x[0], columns};
  const int64_t packed[4] = {args.ends->sizes[0], panels, x[1], 16};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.y, 2, sizes, error));
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.weights, 4, packed, error));
  return et_cpu_check_elements(op, args.bias, panels * 16, error);
}

/* Returns whether the ends do not decrease and are at most the number of rows. */
static bool groups_fit(const et_cpu_op *op, const et_cpu_run *run,
                       const et_cpu_tensor *ends, int64_t rows) {
  int64_t start = 0;
  for (size_t i = 0; i < ends->numel; i++) {
    const int64_t end = et_cpu_index_at(ends, i);
    if (end < start || end > rows) {
      ET_CPU_FAIL(run, "%s: group %zu ends at row %lld, expected %lld to %lld",
                  op->type->schema->name, i, (long long)end, (long long)start,
                  (long long)rows);
      return false;
    }
    start = end;
  }
  return true;
}

/* Computes one part of the columns of one group. */
static void run_part(void *data, size_t index) {
  const et_cpu_grouped_gemm *gemm = data;
  const size_t group = index / gemm->column_parts;
  const size_t end = (size_t)et_cpu_index_at(gemm->ends, group);
  size_t row = group == 0 ? 0 : (size_t)et_cpu_index_at(gemm->ends, group - 1);
  const et_cpu_blocks columns = {1, gemm->product.columns, 1,
                                 gemm->column_parts};
  et_cpu_range range = et_cpu_block_at(&columns, index % gemm->column_parts);
  for (; row < end; row += range.rows) {
    range.first_row = row;
    range.rows = et_cpu_part(end - row, gemm->max_rows, 0);
    gemm->multiply(gemm, group, &range);
  }
}

void et_cpu_grouped_gemm_run(const et_cpu_op *op, const et_cpu_run *run,
                             const et_cpu_grouped_gemm_f32_args *args,
                             size_t max_rows, et_cpu_group_function *multiply) {
  const et_cpu_tensor *x = args->x;
  const et_cpu_tensor *y = args->y;
  if (!groups_fit(op, run, args->ends, x->sizes[0]) || y->numel == 0) {
    return;
  }
  const size_t threads = et_cpu_threads(run);
  et_cpu_grouped_gemm gemm = {.product = {.x = x->data,
                                          .bias = args->bias->data,
                                          .out = y->data,
                                          .depth = (size_t)x->sizes[1],
                                          .columns = (size_t)y->sizes[1]},
                              .weights = args->weights,
                              .ends = args->ends,
                              .groups = args->ends->numel,
                              .max_rows = max_rows,
                              .column_parts = 1,
                              .isa = run->isa,
                              .multiply = multiply};
  if (threads > 1 &&
      y->numel >= ET_CPU_WORTH_SHARING / (gemm.product.depth + 1)) {
    gemm.column_parts = et_cpu_column_parts(gemm.product.columns, threads);
  }
  et_cpu_for_each(run, gemm.groups * gemm.column_parts, run_part, &gemm);
  const size_t done = gemm.groups == 0
                          ? 0
                          : (size_t)et_cpu_index_at(gemm.ends, gemm.groups - 1);
  const size_t first = done * gemm.product.columns;
  if (first < y->numel) {
    memset((float *)y->data + first, 0, (y->numel - first) * sizeof(float));
  }
}
