/* Op gemm_f32_qbw: x[..., k] times weights of few bits, plus bias and residual. */
#include "backends/cpu/microkernels/gemm_qbw.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/gemm_blocks.h"
#include "backends/cpu/ops/low_bit.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_gemm_qbw_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_qbw_rows);
static et_cpu_gemm_qbw_row_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_gemm_qbw_row);

static bool has_residual(const et_cpu_op *op) {
  return op->input_count > et_cpu_low_bit_own(op);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_low_bit_check(op, ET_CPU_LOW_BIT_PARTS, ET_CPU_MINIMA, error));
  return has_residual(op) ? et_cpu_check_same(op, et_cpu_low_bit_own(op),
                                              op->input_count, error)
                          : ET_STATUS_OK;
}

typedef struct work {
  et_cpu_gemm_qbw products[ET_CPU_LOW_BIT_PARTS];
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

static void read(const et_cpu_op *op, work *w) {
  w->count = op->output_count;
  for (size_t i = 0; i < w->count; i++) {
    w->products[i] = et_cpu_low_bit_read(op, i);
  }
  if (has_residual(op)) {
    w->products[0].residual = op->tensors[et_cpu_low_bit_own(op)]->data;
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

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.isa = run->isa};
  const size_t rows = et_cpu_low_bit_rows(op);
  read(op, &w);
  w.blocks = et_cpu_share_gemm(rows, columns_of(&w), w.products[0].depth,
                               ET_CPU_WIDENED_ROWS, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks),
                  rows == 1 ? run_row : run_rows, &w);
}

static const et_cpu_op_type op_type = {"gemm_f32_qbw", check, run, 0, NULL};
const et_backend_part et_cpu_op_gemm_f32_qbw = {ET_CPU_OP_GEMM_F32_QBW,
                                                &op_type};
