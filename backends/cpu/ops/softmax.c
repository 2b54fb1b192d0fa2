/* Op softmax: softmax over the last dimension, or its logarithm. */
#include "backends/cpu/microkernels/normalization.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/schema/softmax.h"

static et_cpu_softmax_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_softmax_f32);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_softmax_args args = et_cpu_softmax_args_of(op);
  return et_cpu_check_alike(op, args.y, args.x, error);
}

/* Work is divided into blocks of rows. */
typedef struct work {
  et_cpu_softmax softmax;
  et_cpu_softmax_f32_function *function;
  size_t rows;
  size_t block_rows;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  w->function(&w->softmax, index * w->block_rows,
              et_cpu_part(w->rows, w->block_rows, index));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_softmax_args args = et_cpu_softmax_args_of(op);
  const et_cpu_tensor *x = args.x;
  const size_t columns = (size_t)x->sizes[x->rank - 1];
  if (x->numel == 0) {
    return;
  }
  work w = {.softmax = {.x = x->data,
                        .out = args.y->data,
                        .columns = columns,
                        .logarithm = args.attributes.logarithm},
            .function = variants[run->isa],
            .rows = x->numel / columns,
            .block_rows = 1 + 8192 / columns};
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.block_rows), run_block, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_softmax_schema, check, run};
const et_backend_part et_cpu_op_softmax = {ET_CPU_OP_SOFTMAX, &op_type};
