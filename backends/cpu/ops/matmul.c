/* Op matmul: products of matrices that are both computed, in batches. */
#include "backends/cpu/microkernels/matmul.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_matmul_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_matmul_f32);

#define F32 ET_SCALAR_TYPE_FLOAT32

enum { A, B, Y, WORKSPACE };
enum { TRANSPOSED, WORDS };

/* Dims of the matrices of tensor `index`, counted from its end. */
static int32_t size_at(const et_cpu_op *op, size_t index, uint8_t back) {
  const et_cpu_tensor *x = op->tensors[index];
  return x->sizes[x->rank - back];
}

static bool is_transposed(const et_cpu_op *op) {
  return op->attributes[TRANSPOSED] != 0;
}

static et_status check_matrices(const et_cpu_op *op, et_error *error) {
  const uint8_t depth_at = is_transposed(op) ? 1 : 2;
  const uint8_t columns_at = is_transposed(op) ? 2 : 1;
  ET_CPU_CHECK(error,
               size_at(op, A, 2) == size_at(op, Y, 2) &&
                   size_at(op, B, depth_at) == size_at(op, A, 1) &&
                   size_at(op, B, columns_at) == size_at(op, Y, 1),
               "matmul: [%d, %d] times [%d, %d]%s is not [%d, %d]",
               (int)size_at(op, A, 2), (int)size_at(op, A, 1),
               (int)size_at(op, B, 2), (int)size_at(op, B, 1),
               is_transposed(op) ? " transposed" : "", (int)size_at(op, Y, 2),
               (int)size_at(op, Y, 1));
  return ET_STATUS_OK;
}

static et_status check_batches(const et_cpu_op *op, size_t index,
                               et_error *error) {
  const et_cpu_tensor *x = op->tensors[index];
  const et_cpu_tensor *y = op->tensors[Y];
  for (uint8_t i = 0; i + 2 < y->rank; i++) {
    ET_CPU_CHECK(error, x->sizes[i] == y->sizes[i] || x->sizes[i] == 1,
                 "matmul: tensor %zu, dim %d is %d, expected %d or 1", index,
                 (int)i, (int)x->sizes[i], (int)y->sizes[i]);
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 2,
                                .inputs_most = 2,
                                .outputs = 1,
                                .workspaces = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, TRANSPOSED, 0, 1, error));
  const uint8_t rank = op->tensors[Y]->rank;
  ET_CPU_CHECK(error, rank >= 2, "matmul: the output has %d dims", (int)rank);
  for (size_t i = A; i <= Y; i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, i, F32, rank, error));
    ET_RETURN_IF_ERROR(check_batches(op, i, error));
  }
  ET_RETURN_IF_ERROR(check_matrices(op, error));
  const et_cpu_tensor *room = op->tensors[WORKSPACE];
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, WORKSPACE, F32, 2, error));
  ET_CPU_CHECK(error,
               room->sizes[0] >= 1 && room->sizes[1] >= ET_CPU_MATMUL_FLOATS,
               "matmul: workspace is [%d, %d], expected [1, %d] at least",
               (int)room->sizes[0], (int)room->sizes[1], ET_CPU_MATMUL_FLOATS);
  return ET_STATUS_OK;
}

/* Blocks of columns of all batches, a run of them to each chunk. */
typedef struct work {
  const et_cpu_op *op;
  et_cpu_matmul_f32_function *function;
  size_t column_blocks;
  size_t units;
  size_t chunks;
} work;

/* The matrix of `x` that batch `batch` of the output is made of. */
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

static et_cpu_matmul batch_of(const et_cpu_op *op, size_t batch) {
  const et_cpu_tensor *y = op->tensors[Y];
  et_cpu_matmul m = {.a = matrix_of(op->tensors[A], y, batch),
                     .b = matrix_of(op->tensors[B], y, batch),
                     .rows = (size_t)size_at(op, Y, 2),
                     .depth = (size_t)size_at(op, A, 1),
                     .columns = (size_t)size_at(op, Y, 1),
                     .transposed = is_transposed(op)};
  m.out = (float *)y->data + batch * m.rows * m.columns;
  return m;
}

/* Each chunk has a row of the workspace for itself. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *room = w->op->tensors[WORKSPACE];
  float *floats = (float *)room->data + index * (size_t)room->sizes[1];
  const size_t end = (index + 1) * w->units / w->chunks;
  for (size_t i = index * w->units / w->chunks; i < end; i++) {
    const et_cpu_matmul m = batch_of(w->op, i / w->column_blocks);
    w->function(&m, i % w->column_blocks * ET_CPU_MATMUL_COLUMNS, floats);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *y = op->tensors[Y];
  if (y->numel == 0) {
    return;
  }
  work w = {.op = op, .function = variants[run->isa]};
  const size_t columns = (size_t)size_at(op, Y, 1);
  const size_t rows = (size_t)size_at(op, Y, 2);
  const size_t slots = (size_t)op->tensors[WORKSPACE]->sizes[0];
  w.column_blocks = et_cpu_parts(columns, ET_CPU_MATMUL_COLUMNS);
  w.units = y->numel / (rows * columns) * w.column_blocks;
  w.chunks = slots < w.units ? slots : w.units;
  et_cpu_for_each(run, w.chunks, run_chunk, &w);
}

static const et_cpu_op_type op_type = {"matmul", check, run, 0, NULL};
const et_backend_part et_cpu_op_matmul = {ET_CPU_OP_MATMUL, &op_type};
