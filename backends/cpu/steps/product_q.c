/* Step product_q: x[..., k] times weights of few bits, plus bias and residual. */
#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/few_bits.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/product_blocks.h"

static et_cpu_product_q_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_q_rows);
static et_cpu_product_q_row_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_product_q_row);

static bool has_residual(const et_cpu_step *step) {
  return step->input_count > et_cpu_few_bits_own(step);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_few_bits_check(step, ET_CPU_FEW_BITS_PARTS, ET_CPU_MINIMA, error));
  return has_residual(step) ? et_cpu_check_same(step, et_cpu_few_bits_own(step),
                                                step->input_count, error)
                            : ET_STATUS_OK;
}

typedef struct work {
  et_cpu_product_q products[ET_CPU_FEW_BITS_PARTS];
  size_t count;
  et_cpu_blocks blocks; /* columns are those of whole panels of all products */
  uint8_t isa;
} work;

static void run_rows(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  rows_variants[w->isa](w->products, &range);
}

static void run_row(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  const size_t first = range.first_column / 16;
  const et_cpu_panels_q panels = {w->products, first,
                                  first + et_cpu_parts(range.columns, 16)};
  row_variants[w->isa](&panels);
}

static void read(const et_cpu_step *step, work *w) {
  w->count = step->output_count;
  for (size_t i = 0; i < w->count; i++) {
    w->products[i] = et_cpu_few_bits_read(step, i);
  }
  if (has_residual(step)) {
    w->products[0].residual = step->tensors[et_cpu_few_bits_own(step)]->data;
  }
}

/* Of one product its own columns. */
static size_t columns_of(const work *w) {
  size_t columns = w->products[0].columns;
  for (size_t i = 1; i < w->count; i++) {
    columns =
        (et_cpu_parts(columns, 16) + et_cpu_parts(w->products[i].columns, 16)) *
        16;
  }
  return columns;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {.isa = run->isa};
  const size_t rows = et_cpu_few_bits_rows(step);
  read(step, &w);
  w.blocks = et_cpu_share_product(rows, columns_of(&w), w.products[0].depth,
                                  ET_CPU_WIDENED_ROWS, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks),
                  rows == 1 ? run_row : run_rows, &w);
}

static const et_cpu_kind kind = {"product_q", check, run, 0};
const et_backend_part et_cpu_step_product_q = {ET_CPU_KIND_PRODUCT_Q, &kind};
