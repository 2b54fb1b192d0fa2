/* Op norm: layer norm or RMS norm over the last dimension. */
#include "backends/cpu/microkernels/normalization.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/schema/norm.h"

static et_cpu_norm_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_norm_f32);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_norm_args args = et_cpu_norm_args_of(op);
  const int64_t columns[1] = {args.x->sizes[args.x->rank - 1]};
  if (args.scale != NULL) {
    ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.scale, 1, columns, error));
  }
  if (args.shift != NULL) {
    ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.shift, 1, columns, error));
  }
  return et_cpu_check_alike(op, args.y, args.x, error);
}

/* Work is divided into blocks of rows. */
typedef struct work {
  et_cpu_norm norm;
  et_cpu_norm_f32_function *function;
  size_t rows;
  size_t block_rows;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  w->function(&w->norm, index * w->block_rows,
              et_cpu_part(w->rows, w->block_rows, index));
}

static const float *data_or_null(const et_cpu_tensor *tensor) {
  return tensor != NULL ? tensor->data : NULL;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_norm_args args = et_cpu_norm_args_of(op);
  const et_cpu_tensor *x = args.x;
  const size_t columns = (size_t)x->sizes[x->rank - 1];
  if (x->numel == 0) {
    return;
  }
  work w = {.function = variants[run->isa], .rows = x->numel / columns};
  w.norm = (et_cpu_norm){.x = x->data,
                         .scale = data_or_null(args.scale),
                         .shift = data_or_null(args.shift),
                         .out = args.y->data,
                         .columns = columns,
                         .epsilon = args.attributes.epsilon,
                         .centered = args.attributes.centered};
  w.block_rows = 1 + 16384 / columns;
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.block_rows), run_block, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_norm_schema, check, run};
const et_backend_part et_cpu_op_norm = {ET_CPU_OP_NORM, &op_type};
