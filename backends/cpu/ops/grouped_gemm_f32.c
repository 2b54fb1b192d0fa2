/* Op grouped_gemm_f32: groups of rows, each times packed weights of its own. */
#include "backends/cpu/ops/grouped_gemms.h"

#include "backends/cpu/ops/op_codes.h"

static et_cpu_gemm_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f32);

static et_status check(const et_cpu_op *op, et_error *error) {
  return et_cpu_grouped_gemm_check(op, ET_SCALAR_TYPE_FLOAT32, error);
}

static void multiply(const et_cpu_grouped_gemm *gemm, size_t group,
                     const et_cpu_range *range) {
  et_cpu_gemm product = gemm->product;
  product.panels =
      (const float *)gemm->panels->data + et_cpu_group_offset(gemm, group);
  variants[gemm->isa](&product, range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const size_t depth = (size_t)op->tensors[0]->sizes[1];
  et_cpu_grouped_gemm_run(op, run, et_cpu_rows_per_block(depth), multiply);
}

static const et_cpu_op_type op_type = {"grouped_gemm_f32", check, run, 0, NULL};
const et_backend_part et_cpu_op_grouped_gemm_f32 = {ET_CPU_OP_GROUPED_GEMM_F32,
                                                    &op_type};
