#include "backends/cpu/ops/grouped_gemms.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/indices.h"

enum { X, PANELS, BIAS, ENDS, Y };

et_status et_cpu_grouped_gemm_check(const et_cpu_op *op, et_scalar_type weights,
                                    et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const et_cpu_tensor *ends = op->tensors[ENDS];
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, ET_SCALAR_TYPE_FLOAT32, 2, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, Y, ET_SCALAR_TYPE_FLOAT32, 2, error));
  ET_RETURN_IF_ERROR(et_cpu_check_indices(op, ENDS, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, ENDS, (et_scalar_type)ends->dtype, 1, error));
  const int64_t sizes[2] = {x->sizes[0], y->sizes[1]};
  const int64_t panels = (y->sizes[1] + (int64_t)15) / 16;
  const int64_t packed[4] = {ends->sizes[0], panels, x->sizes[1], 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(op, Y, ET_SCALAR_TYPE_FLOAT32, 2, sizes, error));
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, PANELS, weights, 4, packed, error));
  return et_cpu_check_numel(op, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

const et_cpu_tensor *et_cpu_grouped_gemm_panels(const et_cpu_op *op) {
  return op->tensors[PANELS];
}

/* Whether each group begins where the one before ends, and ends within the rows. */
static bool groups_fit(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *ends = op->tensors[ENDS];
  const int64_t rows = op->tensors[X]->sizes[0];
  int64_t start = 0;
  for (size_t i = 0; i < ends->numel; i++) {
    const int64_t end = et_cpu_index_at(ends, i);
    if (end < start || end > rows) {
      ET_CPU_FAIL(run, "%s: group %zu ends at row %lld, expected %lld to %lld",
                  op->type->name, i, (long long)end, (long long)start,
                  (long long)rows);
      return false;
    }
    start = end;
  }
  return true;
}

/* One part of the columns of one group. */
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
    range.rows = et_cpu_part(end - row, gemm->most_rows, 0);
    gemm->multiply(gemm, group, &range);
  }
}

void et_cpu_grouped_gemm_run(const et_cpu_op *op, const et_cpu_run *run,
                             size_t most_rows,
                             et_cpu_group_function *multiply) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  if (!groups_fit(op, run) || y->numel == 0) {
    return;
  }
  const size_t threads = et_cpu_threads(run);
  et_cpu_grouped_gemm gemm = {.product = {.x = x->data,
                                          .bias = op->tensors[BIAS]->data,
                                          .out = y->data,
                                          .depth = (size_t)x->sizes[1],
                                          .columns = (size_t)y->sizes[1]},
                              .panels = op->tensors[PANELS],
                              .ends = op->tensors[ENDS],
                              .groups = op->tensors[ENDS]->numel,
                              .most_rows = most_rows,
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
