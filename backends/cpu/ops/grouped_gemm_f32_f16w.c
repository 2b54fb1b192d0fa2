/* Op grouped_gemm_f32_f16w: groups of rows, each times packed weights of its own that are
 * float16 or bfloat16. */
#include "backends/cpu/microkernels/gemm_f16w.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/grouped_gemms.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_gemm_f16w_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f16w_rows);
static et_cpu_gemm_f16w_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f16w_row);

static et_status check(const et_cpu_op *op, et_error *error) {
  const bool is_bfloat =
      op->input_count > 1 &&
      et_cpu_grouped_gemm_panels(op)->dtype == ET_SCALAR_TYPE_BFLOAT16;
  return et_cpu_grouped_gemm_check(
      op, is_bfloat ? ET_SCALAR_TYPE_BFLOAT16 : ET_SCALAR_TYPE_FLOAT16, error);
}

static void multiply(const et_cpu_grouped_gemm *gemm, size_t group,
                     const et_cpu_range *range) {
  et_cpu_gemm_f16w product = {
      .product = gemm->product,
      .panels = (const uint16_t *)gemm->panels->data +
                et_cpu_group_offset(gemm, group),
      .is_bfloat = gemm->panels->dtype == ET_SCALAR_TYPE_BFLOAT16};
  if (range->rows > 1) {
    rows_variants[gemm->isa](&product, range);
    return;
  }
  /* The function of a single row computes row 0. */
  product.product.x += range->first_row * gemm->product.depth;
  product.product.out += range->first_row * gemm->product.columns;
  row_variants[gemm->isa](&product, range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_grouped_gemm_run(op, run, ET_CPU_WIDENED_ROWS, multiply);
}

static const et_cpu_op_type op_type = {"grouped_gemm_f32_f16w", check, run, 0,
                                       NULL};
const et_backend_part et_cpu_op_grouped_gemm_f32_f16w = {
    ET_CPU_OP_GROUPED_GEMM_F32_F16W, &op_type};
