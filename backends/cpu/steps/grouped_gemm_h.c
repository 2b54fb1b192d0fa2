/* Step grouped_gemm_h: groups of rows, each times packed weights of its own that are
 * float16 or bfloat16. */
#include "backends/cpu/simd/product_h.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/grouped_gemms.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_product_h_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_h_rows);
static et_cpu_product_h_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_h_row);

static et_status check(const et_cpu_step *step, et_error *error) {
  const bool is_bfloat =
      step->input_count > 1 &&
      et_cpu_grouped_gemm_panels(step)->dtype == ET_SCALAR_TYPE_BFLOAT16;
  return et_cpu_grouped_gemm_check(
      step, is_bfloat ? ET_SCALAR_TYPE_BFLOAT16 : ET_SCALAR_TYPE_FLOAT16,
      error);
}

static void multiply(const et_cpu_grouped_gemm *gemm, size_t group,
                     const et_cpu_range *range) {
  et_cpu_product_h product = {
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

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  et_cpu_grouped_gemm_run(step, run, ET_CPU_WIDENED_ROWS, multiply);
}

static const et_cpu_kind kind = {"grouped_gemm_h", check, run, 0};
const et_backend_part et_cpu_step_grouped_gemm_h = {ET_CPU_KIND_GROUPED_GEMM_H,
                                                    &kind};
