/* Op gemm_qd8_qbw: y = activation(x @ weights + bias) with dynamically quantized
 * activations and 4-bit or 8-bit weights. */
#include "backends/cpu/schema/gemm_qd8_qbw.h"

#include "backends/cpu/microkernels/gemm_qd8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/gemms.h"
#include "backends/cpu/ops/low_bit.h"

static et_cpu_gemm_qd8_function *const qb4w_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_gemm_qd8_qb4w);
static et_cpu_gemm_qd8_function *const qb8w_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_gemm_qd8);

static size_t offset_count(const et_cpu_gemm_qd8_qbw_args *args) {
  return args->attributes.format.offset != ET_CPU_WEIGHT_OFFSET_NONE ? 1 : 0;
}

static const et_cpu_tensor *sums_of(const et_cpu_gemm_qd8_qbw_args *args) {
  const size_t offsets = offset_count(args);
  return args->others_count > offsets ? args->others[offsets] : NULL;
}

static et_cpu_low_bit_gemm gemm_of(const et_cpu_gemm_qd8_qbw_args *args) {
  return (et_cpu_low_bit_gemm){
      .x = args->x,
      .weights = args->weights,
      .scales = args->scales,
      .bias = args->bias,
      .offsets = offset_count(args) > 0 ? args->others[0] : NULL,
      .y = args->y,
      .groups = args->scales->sizes[1],
      .format = args->attributes.format,
      .activation = args->attributes.activation};
}

static et_status check_sums(const et_cpu_op *op,
                            const et_cpu_gemm_qd8_qbw_args *args,
                            et_error *error) {
  const et_cpu_tensor *sums = sums_of(args);
  const int32_t *scales = args->scales->sizes;
  if (args->attributes.format.bits == 8) {
    ET_CPU_CHECK(error, sums != NULL,
                 "gemm_qd8_qbw: %d inputs; the sums of the 8-bit weights are "
                 "missing",
                 (int)op->input_count);
    const int64_t sizes[3] = {scales[0], scales[1], 16};
    ET_RETURN_IF_ERROR(
        et_cpu_check_dtype(op, sums, ET_SCALAR_TYPE_INT32, error));
    return et_cpu_check_shape(op, sums, 3, sizes, error);
  }
  if (sums == NULL) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, sums, ET_SCALAR_TYPE_FLOAT32, error));
  return et_cpu_check_elements(op, sums, (int64_t)scales[0] * 16, error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_gemm_qd8_qbw_args args = et_cpu_gemm_qd8_qbw_args_of(op);
  const et_cpu_low_bit_format *format = &args.attributes.format;
  ET_RETURN_IF_ERROR(et_cpu_check_format(op, format, error));
  ET_CPU_CHECK(error, format->offset != ET_CPU_WEIGHT_OFFSET_MINIMA,
               "gemm_qd8_qbw: weights with minima are not supported");
  ET_RETURN_IF_ERROR(et_cpu_low_bit_check_others(
      op, args.others_count, offset_count(&args), 1, error));
  const et_cpu_low_bit_gemm gemm = gemm_of(&args);
  ET_RETURN_IF_ERROR(et_cpu_low_bit_check(op, &gemm, error));
  const int32_t group = args.x->sizes[args.x->rank - 1] / gemm.groups;
  ET_CPU_CHECK(error, group <= ET_CPU_QD8_MAX_GROUP,
               "gemm_qd8_qbw: groups of %d weights, expected at most %d",
               (int)group, ET_CPU_QD8_MAX_GROUP);
  return check_sums(op, &args, error);
}

typedef struct work {
  et_cpu_gemm_qd8 gemm;
  et_cpu_gemm_qd8_function *function;
  et_cpu_blocks blocks;
} work;

/* Maximum number of rows per block. Each block reads the weights once. */
#define BLOCK_ROWS 32

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->gemm, &range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_gemm_qd8_qbw_args args = et_cpu_gemm_qd8_qbw_args_of(op);
  const et_cpu_low_bit_gemm gemm = gemm_of(&args);
  work w = {.gemm = {.weights = et_cpu_low_bit_arguments(&gemm)}};
  const et_cpu_tensor *sums = sums_of(&args);
  if (args.attributes.format.bits == 4) {
    w.function = qb4w_variants[run->isa];
    w.gemm.column_sums = sums != NULL ? sums->data : NULL;
  } else {
    w.function = qb8w_variants[run->isa];
    w.gemm.sums = sums->data;
  }
  w.blocks = et_cpu_share_ready_rows(
      et_cpu_low_bit_rows(args.y), w.gemm.weights.columns, w.gemm.weights.depth,
      BLOCK_ROWS, et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_gemm_qd8_qbw_schema, check, run};
const et_backend_part et_cpu_op_gemm_qd8_qbw = {ET_CPU_OP_GEMM_QD8_QBW,
                                                &op_type};
