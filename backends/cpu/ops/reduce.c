/* Op reduce: sums, means, extremes, products, and where extremes stand. */
#include "backends/cpu/microkernels/reduce.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_reduce_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_reduce_f32);

enum { X, Y };
enum { REDUCTION, WORDS };

/* Numbers of x that a chunk reads, or a little more. */
#define CHUNK 16384
#define COLUMNS 256 /* of a chunk */

static bool gives_places(const et_cpu_op *op) {
  return op->attributes[REDUCTION] >= ET_CPU_REDUCE_FIRST_MOST;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  const int64_t last = ET_CPU_REDUCE_FIRST_LEAST;
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, REDUCTION, 0, last, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, ET_SCALAR_TYPE_FLOAT32, 3, error));
  const int32_t *x = op->tensors[X]->sizes;
  ET_CPU_CHECK(error, x[1] > 0 || !gives_places(op),
               "reduce: none of no numbers is the largest or smallest");
  const int64_t sizes[2] = {x[0], x[2]};
  return et_cpu_check_sizes(
      op, Y, gives_places(op) ? ET_SCALAR_TYPE_INT64 : ET_SCALAR_TYPE_FLOAT32,
      2, sizes, error);
}

/* Blocks of columns; of single columns, blocks of outer indices. */
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
  const et_cpu_tensor *x = op->tensors[X];
  void *out = op->tensors[Y]->data;
  if (op->tensors[Y]->numel == 0) {
    return;
  }
  work w = {
      .reduce = {.x = x->data,
                 .out = gives_places(op) ? NULL : out,
                 .places = gives_places(op) ? out : NULL,
                 .count = (size_t)x->sizes[1],
                 .columns = (size_t)x->sizes[2],
                 .reduction = (et_cpu_reduction)op->attributes[REDUCTION]},
      .function = variants[run->isa],
      .outer = (size_t)x->sizes[0]};
  w.block_outer = 1 + CHUNK / (w.reduce.count * w.reduce.columns + 1);
  w.column_blocks = et_cpu_parts(w.reduce.columns, COLUMNS);
  et_cpu_for_each(run, et_cpu_parts(w.outer, w.block_outer) * w.column_blocks,
                  run_block, &w);
}

static const et_cpu_op_type op_type = {"reduce", check, run, 0, NULL};
const et_backend_part et_cpu_op_reduce = {ET_CPU_OP_REDUCE, &op_type};
