/* Step product: x[..., k] times packed weights, plus bias and residual. */
#include "backends/cpu/steps/products.h"

#include "backends/cpu/steps/kinds.h"

static et_cpu_product_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_f32);

static et_status check(const et_cpu_step *step, et_error *error) {
  return et_cpu_product_check(step, ET_SCALAR_TYPE_FLOAT32, error);
}

typedef struct work {
  et_cpu_product product;
  et_cpu_product_f32_function *function;
  et_cpu_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->product, &range);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {et_cpu_product_read(step), variants[run->isa], {0}};
  w.product.panels = et_cpu_product_panels(step)->data;
  w.blocks =
      et_cpu_product_blocks(step, run, et_cpu_rows_per_block(w.product.depth));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_kind kind = {"product", check, run, 0};
const et_backend_part et_cpu_step_product = {ET_CPU_KIND_PRODUCT, &kind};
