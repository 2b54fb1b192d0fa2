/* Step product_h: x[..., k] times packed weights that are float16 or bfloat16, plus
 * bias and residual. */
#include "backends/cpu/simd/product_h.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/products.h"

static et_cpu_product_h_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_h_rows);
static et_cpu_product_h_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_h_row);

static et_status check(const et_cpu_step *step, et_error *error) {
  const bool is_bfloat =
      step->input_count > 1 &&
      et_cpu_product_panels(step)->dtype == ET_SCALAR_TYPE_BFLOAT16;
  return et_cpu_product_check(
      step, is_bfloat ? ET_SCALAR_TYPE_BFLOAT16 : ET_SCALAR_TYPE_FLOAT16,
      error);
}

typedef struct work {
  et_cpu_product_h product;
  et_cpu_product_h_function *function;
  et_cpu_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->product, &range);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *panels = et_cpu_product_panels(step);
  work w = {.product = {.product = et_cpu_product_read(step),
                        .panels = panels->data,
                        .is_bfloat = panels->dtype == ET_SCALAR_TYPE_BFLOAT16},
            .blocks = et_cpu_product_blocks(step, run, ET_CPU_WIDENED_ROWS)};
  w.function =
      w.blocks.rows == 1 ? row_variants[run->isa] : rows_variants[run->isa];
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_kind kind = {"product_h", check, run, 0};
const et_backend_part et_cpu_step_product_h = {ET_CPU_KIND_PRODUCT_H, &kind};
