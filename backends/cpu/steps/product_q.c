/* Step product_q: x[..., k] times weights of few bits, plus bias and residual. */
#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/few_bits.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/product_blocks.h"

static et_cpu_product_q_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_q_rows);
static et_cpu_product_q_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_product_q_row);

static bool has_residual(const et_cpu_step *step) {
  return step->input_count > et_cpu_few_bits_own(step);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_few_bits_check(step, 0, ET_CPU_MINIMA, error));
  return has_residual(step) ? et_cpu_check_same(step, et_cpu_few_bits_own(step),
                                                step->input_count, error)
                            : ET_STATUS_OK;
}

typedef struct work {
  et_cpu_product_q product;
  et_cpu_product_q_function *function;
  et_cpu_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->product, &range);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {.product = et_cpu_few_bits_read(step)};
  const size_t rows = et_cpu_few_bits_rows(step);
  if (has_residual(step)) {
    w.product.residual = step->tensors[et_cpu_few_bits_own(step)]->data;
  }
  w.function = rows == 1 ? row_variants[run->isa] : rows_variants[run->isa];
  w.blocks = et_cpu_share_product(rows, w.product.columns, w.product.depth,
                                  ET_CPU_WIDENED_ROWS, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_kind kind = {"product_q", check, run, 0};
const et_backend_part et_cpu_step_product_q = {ET_CPU_KIND_PRODUCT_Q, &kind};
