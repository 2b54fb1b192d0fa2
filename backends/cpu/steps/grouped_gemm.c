/* Step grouped_gemm: groups of rows, each times packed weights of its own. */
#include "backends/cpu/steps/grouped_gemms.h"

#include "backends/cpu/steps/kinds.h"

static et_cpu_product_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_f32);

static et_status check(const et_cpu_step *step, et_error *error) {
  return et_cpu_grouped_gemm_check(step, ET_SCALAR_TYPE_FLOAT32, error);
}

static void multiply(const et_cpu_grouped_gemm *gemm, size_t group,
                     const et_cpu_range *range) {
  et_cpu_product product = gemm->product;
  product.panels =
      (const float *)gemm->panels->data + et_cpu_group_offset(gemm, group);
  variants[gemm->isa](&product, range);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const size_t depth = (size_t)step->tensors[0]->sizes[1];
  et_cpu_grouped_gemm_run(step, run, et_cpu_rows_per_block(depth), multiply);
}

static const et_cpu_kind kind = {"grouped_gemm", check, run, 0};
const et_backend_part et_cpu_step_grouped_gemm = {ET_CPU_KIND_GROUPED_GEMM,
                                                  &kind};
