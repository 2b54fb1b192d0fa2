/* Op gemm_qd8_qbw: x[..., k], whose rows become bytes by their own ranges, times
 * weights of few bits, in whole numbers; plus bias. */
#include "backends/cpu/microkernels/gemm_qd8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/gemm_blocks.h"
#include "backends/cpu/ops/low_bit.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_gemm_qd8_function *const variants_of_4[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_gemm_qd8_qb4w);
static et_cpu_gemm_qd8_function *const variants_of_8[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_gemm_qd8);

/* Of a column's weights with 4 bits, of a group's codes with 8. */
static et_status check_sums(const et_cpu_op *op, size_t bits, et_error *error) {
  const et_cpu_tensor *scales = op->tensors[ET_CPU_LOW_BIT_SCALES];
  const int64_t sizes[3] = {scales->sizes[0], scales->sizes[1], 16};
  const size_t sums = et_cpu_low_bit_own(op);
  return bits == 4 ? et_cpu_check_numel(op, sums, ET_SCALAR_TYPE_FLOAT32,
                                        sizes[0] * 16, error)
                   : et_cpu_check_sizes(op, sums, ET_SCALAR_TYPE_INT32, 3,
                                        sizes, error);
}

static bool has_sums(const et_cpu_op *op) {
  return op->input_count > et_cpu_low_bit_own(op);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_low_bit_check(op, 1, ET_CPU_ZERO_POINTS, error));
  const et_cpu_gemm_qbw product = et_cpu_low_bit_read(op, 0);
  ET_CPU_CHECK(error, product.group <= ET_CPU_GROUP_I8,
               "gemm_qd8_qbw: groups of %zu weights, expected at most %d",
               product.group, ET_CPU_GROUP_I8);
  ET_CPU_CHECK(error, has_sums(op) || product.bits == 4,
               "gemm_qd8_qbw: %d inputs, expected sums of codes of %d bits",
               (int)op->input_count, (int)product.bits);
  return has_sums(op) ? check_sums(op, product.bits, error) : ET_STATUS_OK;
}

typedef struct work {
  et_cpu_gemm_qd8 product;
  et_cpu_gemm_qd8_function *function;
  et_cpu_blocks blocks;
} work;

/* Rows that each read the weights once. */
#define BLOCK_ROWS 32

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->product, &range);
}

static et_cpu_gemm_qd8 read(const et_cpu_op *op) {
  et_cpu_gemm_qd8 product = {.weights = et_cpu_low_bit_read(op, 0)};
  const void *sums =
      has_sums(op) ? op->tensors[et_cpu_low_bit_own(op)]->data : NULL;
  if (product.weights.bits == 4) {
    product.column_sums = sums;
  } else {
    product.sums = sums;
  }
  return product;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.product = read(op)};
  const size_t rows = et_cpu_low_bit_rows(op);
  w.function = w.product.weights.bits == 4 ? variants_of_4[run->isa]
                                           : variants_of_8[run->isa];
  w.blocks = et_cpu_share_ready_rows(rows, w.product.weights.columns,
                                     w.product.weights.depth, BLOCK_ROWS,
                                     et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_op_type op_type = {"gemm_qd8_qbw", check, run, 0, NULL};
const et_backend_part et_cpu_op_gemm_qd8_qbw = {ET_CPU_OP_GEMM_QD8_QBW,
                                                &op_type};
