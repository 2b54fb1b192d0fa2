/* Op matmul: y = a @ b for batches of matrices. Both operands are activations. */
#include "backends/cpu/schema/matmul.h"

#include "backends/cpu/microkernels/matmul.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_cpu_matmul_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_matmul_f32);

static int32_t row_count(const et_cpu_tensor *matrix) {
  return matrix->sizes[matrix->rank - 2];
}

static int32_t column_count(const et_cpu_tensor *matrix) {
  return matrix->sizes[matrix->rank - 1];
}

static et_status check_matrices(const et_cpu_matmul_args *args,
                                et_error *error) {
  const et_cpu_tensor *a = args->a;
  const et_cpu_tensor *b = args->b;
  const et_cpu_tensor *y = args->y;
  const bool transposed = args->attributes.transposed;
  const int32_t depth = transposed ? column_count(b) : row_count(b);
  const int32_t columns = transposed ? row_count(b) : column_count(b);
  ET_CPU_CHECK(error,
               row_count(a) == row_count(y) && column_count(a) == depth &&
                   columns == column_count(y),
               "matmul: [%d, %d] times [%d, %d]%s is not [%d, %d]",
               (int)row_count(a), (int)column_count(a), (int)row_count(b),
               (int)column_count(b), transposed ? " transposed" : "",
               (int)row_count(y), (int)column_count(y));
  return ET_STATUS_OK;
}

static et_status check_batches(const et_cpu_op *op, const et_cpu_tensor *x,
                               const et_cpu_tensor *y, et_error *error) {
  ET_CPU_CHECK(error, x->rank == y->rank,
               "matmul: tensor %zu has %d dims, expected %d",
               et_cpu_tensor_index(op, x), (int)x->rank, (int)y->rank);
  for (uint8_t i = 0; i + 2 < y->rank; i++) {
    ET_CPU_CHECK(error, x->sizes[i] == y->sizes[i] || x->sizes[i] == 1,
                 "matmul: tensor %zu, dim %d is %d, expected %d or 1",
                 et_cpu_tensor_index(op, x), (int)i, (int)x->sizes[i],
                 (int)y->sizes[i]);
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_matmul_args args = et_cpu_matmul_args_of(op);
  ET_RETURN_IF_ERROR(check_batches(op, args.a, args.y, error));
  ET_RETURN_IF_ERROR(check_batches(op, args.b, args.y, error));
  ET_RETURN_IF_ERROR(check_matrices(&args, error));
  const int32_t *workspace = args.workspace->sizes;
  ET_CPU_CHECK(error, workspace[0] >= 1 && workspace[1] >= ET_CPU_MATMUL_FLOATS,
               "matmul: workspace is [%d, %d], expected at least [1, %d]",
               (int)workspace[0], (int)workspace[1], ET_CPU_MATMUL_FLOATS);
  return ET_STATUS_OK;
}

/* Each chunk has consecutive column blocks, counted over all batches. */
typedef struct work {
  et_cpu_matmul_args args;
  et_cpu_matmul_f32_function *function;
  size_t column_blocks;
  size_t blocks;
  size_t chunks;
} work;

/* Returns the matrix of `x` for batch `batch` of the output. */
static const float *matrix_of(const et_cpu_tensor *x, const et_cpu_tensor *y,
                              size_t batch) {
  size_t stride = (size_t)x->sizes[x->rank - 1] * (size_t)x->sizes[x->rank - 2];
  size_t offset = 0;
  for (size_t i = y->rank - 2u; i-- > 0;) {
    const size_t at = batch % (size_t)y->sizes[i];
    batch /= (size_t)y->sizes[i];
    offset += x->sizes[i] == 1 ? 0 : at * stride;
    stride *= (size_t)x->sizes[i];
  }
  return (const float *)x->data + offset;
}

static et_cpu_matmul batch_of(const et_cpu_matmul_args *args, size_t batch) {
  const et_cpu_tensor *y = args->y;
  et_cpu_matmul m = {.a = matrix_of(args->a, y, batch),
                     .b = matrix_of(args->b, y, batch),
                     .rows = (size_t)row_count(y),
                     .depth = (size_t)column_count(args->a),
                     .columns = (size_t)column_count(y),
                     .transposed = args->attributes.transposed};
  m.out = (float *)y->data + batch * m.rows * m.columns;
  return m;
}

/* Each chunk has its own row of the workspace. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *workspace = w->args.workspace;
  float *floats =
      (float *)workspace->data + index * (size_t)workspace->sizes[1];
  const size_t end = et_first_of_part(w->blocks, index + 1, w->chunks);
  for (size_t i = et_first_of_part(w->blocks, index, w->chunks); i < end; i++) {
    const et_cpu_matmul m = batch_of(&w->args, i / w->column_blocks);
    w->function(&m, i % w->column_blocks * ET_CPU_MATMUL_COLUMNS, floats);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.args = et_cpu_matmul_args_of(op), .function = variants[run->isa]};
  const et_cpu_tensor *y = w.args.y;
  if (y->numel == 0) {
    return;
  }
  const size_t rows = (size_t)row_count(y);
  const size_t columns = (size_t)column_count(y);
  const size_t slots = (size_t)w.args.workspace->sizes[0];
  w.column_blocks = et_cpu_parts(columns, ET_CPU_MATMUL_COLUMNS);
  w.blocks = y->numel / (rows * columns) * w.column_blocks;
  w.chunks = slots < w.blocks ? slots : w.blocks;
  et_cpu_for_each(run, w.chunks, run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_matmul_schema, check, run};
const et_backend_part et_cpu_op_matmul = {ET_CPU_OP_MATMUL, &op_type};
