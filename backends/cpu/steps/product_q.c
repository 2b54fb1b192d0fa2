/* Step product_q: x[..., k] times weights of few bits, plus bias and residual. */
#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/few_bits.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_product_q_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_q_rows);
static et_cpu_product_q_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_q_row);

static bool has_residual(const et_cpu_step *step) {
  return step->input_count > et_cpu_few_bits_own(step);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_few_bits_check(step, 0, error));
  return has_residual(step) ? et_cpu_check_same(step, et_cpu_few_bits_own(step),
                                                step->input_count, error)
                            : ET_STATUS_OK;
}

/* The output in blocks of rows times blocks of columns. */
typedef struct work {
  et_cpu_product_q product;
  et_cpu_product_q_function *function;
  size_t rows;
  size_t block_columns;
  size_t column_blocks;
} work;

/* As many as use a block of weights that have become floats. */
#define BLOCK_ROWS 512

static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t row = index / w->column_blocks;
  const size_t column = index % w->column_blocks;
  const et_cpu_range range = {
      row * BLOCK_ROWS, et_cpu_part(w->rows, BLOCK_ROWS, row),
      column * w->block_columns,
      et_cpu_part(w->product.columns, w->block_columns, column)};
  w->function(&w->product, &range);
}

/* Columns of a block: whole groups of panels, about half a million
 * multiplications. */
static size_t columns_per_block(const work *w) {
  const size_t enough = 524288;
  const size_t rows = w->rows < BLOCK_ROWS ? w->rows : BLOCK_ROWS;
  const size_t panels = enough / (rows * w->product.depth + 1) / 64 * 64;
  return panels < 64 ? 64 : panels;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {.product = et_cpu_few_bits_read(step),
            .rows = et_cpu_few_bits_rows(step)};
  if (has_residual(step)) {
    w.product.residual = step->tensors[et_cpu_few_bits_own(step)]->data;
  }
  w.function = w.rows == 1 ? row_variants[run->isa] : rows_variants[run->isa];
  w.block_columns = columns_per_block(&w);
  w.column_blocks = et_cpu_parts(w.product.columns, w.block_columns);
  et_cpu_for_each(run, et_cpu_parts(w.rows, BLOCK_ROWS) * w.column_blocks,
                  run_block, &w);
}

static const et_cpu_kind kind = {"product_q", check, run, 0};
const et_backend_part et_cpu_step_product_q = {ET_CPU_KIND_PRODUCT_Q, &kind};
