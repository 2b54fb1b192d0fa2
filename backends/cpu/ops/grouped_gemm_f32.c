/* Op grouped_gemm_f32: y = x @ weights[g] + bias for each group g of rows.
 *
 * Each group is a GEMM with the microkernel of gemm_f32. grouped_gemms.c divides the groups, and
 * the columns of each group, among threads. A call of the microkernel computes at most
 * et_cpu_rows_per_block(K) rows, which stay in the L2 cache while the group's weights are
 * streamed. */
#include "backends/cpu/ops/grouped_gemms.h"

static et_cpu_gemm_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f32);

static void multiply(const et_cpu_grouped_gemm *gemm, size_t group,
                     const et_cpu_range *range) {
  et_cpu_gemm product = gemm->product;
  product.panels =
      (const float *)gemm->weights->data + et_cpu_group_offset(gemm, group);
  variants[gemm->isa](&product, range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_grouped_gemm_f32_args args = et_cpu_grouped_gemm_f32_args_of(op);
  const size_t depth = (size_t)args.x->sizes[1];
  et_cpu_grouped_gemm_run(op, run, &args, et_cpu_rows_per_block(depth),
                          multiply);
}

static const et_cpu_op_type op_type = {&et_cpu_grouped_gemm_f32_schema,
                                       et_cpu_grouped_gemm_check, run};
const et_backend_part et_cpu_op_grouped_gemm_f32 = {ET_CPU_OP_GROUPED_GEMM_F32,
                                                    &op_type};
