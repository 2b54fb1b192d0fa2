/* Op reduce: sum, mean, product, maximum, minimum, or index of an extremum, over the middle of
 * three dimensions. */
#include "backends/cpu/schema/reduce.h"

#include "backends/cpu/microkernels/reduce.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_cpu_reduce_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_reduce_f32);

/* Approximate number of elements of x per chunk. */
#define CHUNK 16384
#define COLUMNS 256 /* maximum number of columns per block */

static bool is_index(const et_cpu_reduce_args *args) {
  return args->attributes.reduction >= ET_CPU_REDUCTION_ARGMAX;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_reduce_args args = et_cpu_reduce_args_of(op);
  const int32_t *x = args.x->sizes;
  ET_CPU_CHECK(error, x[1] > 0 || !is_index(&args),
               "reduce: argmax and argmin require at least one element");
  const int64_t sizes[2] = {x[0], x[2]};
  ET_RETURN_IF_ERROR(et_cpu_check_dtype(
      op, args.y,
      is_index(&args) ? ET_SCALAR_TYPE_INT64 : ET_SCALAR_TYPE_FLOAT32, error));
  return et_cpu_check_shape(op, args.y, 2, sizes, error);
}

/* A block has up to COLUMNS columns of `block_outer` outer indices. */
typedef struct work {
  et_cpu_reduce reduce;
  et_cpu_reduce_f32_function *function;
  size_t outer;
  size_t block_outer;
  size_t column_blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t column = index % w->column_blocks;
  const size_t first = index / w->column_blocks * w->block_outer;
  const size_t end =
      first + et_cpu_part(w->outer, w->block_outer, index / w->column_blocks);
  for (size_t i = first; i < end; i++) {
    w->function(&w->reduce, i, column * COLUMNS,
                et_cpu_part(w->reduce.columns, COLUMNS, column));
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_reduce_args args = et_cpu_reduce_args_of(op);
  if (args.y->numel == 0) {
    return;
  }
  work w = {
      .reduce = {.x = args.x->data,
                 .out = is_index(&args) ? NULL : args.y->data,
                 .indices = is_index(&args) ? args.y->data : NULL,
                 .count = (size_t)args.x->sizes[1],
                 .columns = (size_t)args.x->sizes[2],
                 .reduction = (et_cpu_reduction)args.attributes.reduction},
      .function = variants[run->isa],
      .outer = (size_t)args.x->sizes[0]};
  w.block_outer = 1 + CHUNK / (w.reduce.count * w.reduce.columns + 1);
  w.column_blocks = et_cpu_parts(w.reduce.columns, COLUMNS);
  et_cpu_for_each(run, et_cpu_parts(w.outer, w.block_outer) * w.column_blocks,
                  run_block, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_reduce_schema, check, run};
const et_backend_part et_cpu_op_reduce = {ET_CPU_OP_REDUCE, &op_type};
