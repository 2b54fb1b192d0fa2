/* Op gemm_f32_qbw: y = activation(x @ weights + bias + residual) with 4-bit or 8-bit
 * weights. */
#include "backends/cpu/schema/gemm_f32_qbw.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/gemms.h"
#include "backends/cpu/ops/low_bit.h"
#include "backends/cpu/schema/kernel_sizes.h"

static et_cpu_gemm_qbw_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_qbw_rows);
static et_cpu_gemm_qbw_row_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_gemm_qbw_row);

/* Number of inputs that each GEMM always has: weights, scales and bias. */
#define DECLARED_OPERANDS 3

static bool has_offsets(const et_cpu_gemm_f32_qbw_args *args) {
  return args->attributes.format.offset != ET_CPU_WEIGHT_OFFSET_NONE;
}

/* Returns the number of inputs per GEMM, without x and the residual. */
static size_t operand_count(const et_cpu_gemm_f32_qbw_args *args) {
  return DECLARED_OPERANDS + (has_offsets(args) ? 1 : 0);
}

/* Returns the expected number of `others`, without the residual. */
static size_t other_operands(const et_cpu_gemm_f32_qbw_args *args) {
  return args->ys_count * operand_count(args) - DECLARED_OPERANDS;
}

static const et_cpu_tensor *residual_of(const et_cpu_gemm_f32_qbw_args *args) {
  const size_t operands = other_operands(args);
  return args->others_count > operands ? args->others[operands] : NULL;
}

/* Returns the GEMM of output `index`. */
static et_cpu_low_bit_gemm gemm_at(const et_cpu_gemm_f32_qbw_args *args,
                                   size_t index) {
  et_cpu_low_bit_gemm gemm = {.x = args->x,
                              .weights = args->weights,
                              .scales = args->scales,
                              .bias = args->bias,
                              .y = args->ys[index],
                              .groups = args->scales->sizes[1],
                              .format = args->attributes.format,
                              .activation = args->attributes.activation};
  size_t next = 0;
  if (index > 0) {
    next = index * operand_count(args) - DECLARED_OPERANDS;
    gemm.weights = args->others[next++];
    gemm.scales = args->others[next++];
    gemm.bias = args->others[next++];
  }
  gemm.offsets = has_offsets(args) ? args->others[next] : NULL;
  return gemm;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_gemm_f32_qbw_args args = et_cpu_gemm_f32_qbw_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_format(op, &args.attributes.format, error));
  ET_RETURN_IF_ERROR(
      et_cpu_low_bit_check_others(op, args.others_count, other_operands(&args),
                                  args.ys_count == 1 ? 1 : 0, error));
  for (size_t i = 0; i < args.ys_count; i++) {
    const et_cpu_low_bit_gemm gemm = gemm_at(&args, i);
    ET_RETURN_IF_ERROR(et_cpu_low_bit_check(op, &gemm, error));
  }
  const size_t rows = et_cpu_low_bit_rows(args.ys[0]);
  ET_CPU_CHECK(error, args.ys_count == 1 || rows == 1,
               "%s: %d outputs of %zu rows, expected one row",
               op->type->schema->name, (int)args.ys_count, rows);
  const et_cpu_tensor *residual = residual_of(&args);
  return residual != NULL ? et_cpu_check_alike(op, residual, args.ys[0], error)
                          : ET_STATUS_OK;
}

typedef struct work {
  et_cpu_gemm_qbw gemms[ET_CPU_QBW_MAX_OUTPUTS];
  size_t count;
  /* blocks of the columns of all GEMMs, in whole panels */
  et_cpu_blocks blocks;
  uint8_t isa;
} work;

static void run_rows(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  rows_variants[w->isa](w->gemms, &range);
}

static void run_row(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  const size_t first = range.first_column / 16;
  const et_cpu_panels_q panels = {w->gemms, first,
                                  first + et_cpu_parts(range.columns, 16)};
  row_variants[w->isa](&panels);
}

static void read(const et_cpu_gemm_f32_qbw_args *args, work *w) {
  w->count = args->ys_count;
  for (size_t i = 0; i < w->count; i++) {
    const et_cpu_low_bit_gemm gemm = gemm_at(args, i);
    w->gemms[i] = et_cpu_low_bit_arguments(&gemm);
  }
  const et_cpu_tensor *residual = residual_of(args);
  w->gemms[0].residual = residual != NULL ? residual->data : NULL;
}

/* Returns the total number of columns of all GEMMs. If there are several, the columns of each are
 * rounded up to whole panels, because panels are divided among threads. */
static size_t columns_of(const work *w) {
  size_t columns = w->gemms[0].columns;
  for (size_t i = 1; i < w->count; i++) {
    columns =
        (et_cpu_parts(columns, 16) + et_cpu_parts(w->gemms[i].columns, 16)) *
        16;
  }
  return columns;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_gemm_f32_qbw_args args = et_cpu_gemm_f32_qbw_args_of(op);
  work w = {.isa = run->isa};
  const size_t rows = et_cpu_low_bit_rows(args.ys[0]);
  read(&args, &w);
  w.blocks = et_cpu_share_gemm(rows, columns_of(&w), w.gemms[0].depth,
                               ET_CPU_WIDENED_ROWS, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks),
                  rows == 1 ? run_row : run_rows, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_gemm_f32_qbw_schema, check, run};
const et_backend_part et_cpu_op_gemm_f32_qbw = {ET_CPU_OP_GEMM_F32_QBW,
                                                &op_type};
