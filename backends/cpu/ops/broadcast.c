#include "backends/cpu/ops/elementwise.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

et_status et_cpu_check_broadcast(const et_cpu_op *op, const et_cpu_tensor *x,
                                 const et_cpu_tensor *y, et_error *error) {
  const char *name = op->type->schema->name;
  const size_t index = et_cpu_tensor_index(op, x);
  ET_CPU_CHECK(error, x->rank <= y->rank,
               "%s: tensor %zu has %d dims, but the output has %d", name, index,
               (int)x->rank, (int)y->rank);
  const int32_t *sizes = y->sizes + (y->rank - x->rank);
  for (uint8_t i = 0; i < x->rank; i++) {
    ET_CPU_CHECK(error, x->sizes[i] == sizes[i] || x->sizes[i] == 1,
                 "%s: tensor %zu, dim %d is %d, expected %d or 1", name, index,
                 (int)i, (int)x->sizes[i], (int)sizes[i]);
  }
  return ET_STATUS_OK;
}

/* Returns the stride of operand `x` along dimension `dim` of the output, whose rank is `rank`. It
 * is 0 if the operand is broadcast. */
static size_t stride_of(const et_cpu_tensor *x, size_t rank, size_t dim) {
  if (dim + x->rank < rank || x->sizes[dim + x->rank - rank] == 1) {
    return 0;
  }
  size_t stride = 1;
  for (size_t i = dim + x->rank - rank + 1; i < x->rank; i++) {
    stride *= (size_t)x->sizes[i];
  }
  return stride;
}

static bool continues(const et_cpu_broadcast *b, size_t size,
                      const size_t *strides) {
  for (size_t i = 0; i < b->operands; i++) {
    if (b->strides[i][b->rank - 1] != strides[i] * size) {
      return false;
    }
  }
  return true;
}

static void add_dim(et_cpu_broadcast *b, size_t size, const size_t *strides) {
  if (b->rank > 2 && continues(b, size, strides)) {
    b->rank--;
    size *= b->sizes[b->rank];
  }
  for (size_t i = 0; i < b->operands; i++) {
    b->strides[i][b->rank] = strides[i];
  }
  b->sizes[b->rank++] = size;
}

/* Adds two dimensions of size 1, then the dimensions of y whose size is not 1. */
static void add_dims(et_cpu_broadcast *b, et_cpu_tensor *const *operands,
                     const et_cpu_tensor *y) {
  b->sizes[0] = 1;
  b->sizes[1] = 1;
  b->rank = 2;
  for (size_t dim = 0; dim < y->rank; dim++) {
    size_t strides[ET_CPU_ELEMENTWISE_MAX_OPERANDS];
    for (size_t i = 0; i < b->operands; i++) {
      strides[i] = stride_of(operands[i], y->rank, dim);
    }
    if (y->sizes[dim] != 1) {
      add_dim(b, (size_t)y->sizes[dim], strides);
    }
  }
}

static void divide(et_cpu_broadcast *b, size_t max) {
  const size_t rows = b->sizes[b->rank - 2];
  const size_t columns = b->sizes[b->rank - 1];
  const size_t parts = et_cpu_parts(columns, max);
  b->block_columns =
      parts < 2 ? columns : (et_cpu_parts(columns, parts) + 15) / 16 * 16;
  b->block_rows = parts < 2 ? max / columns : 1;
  b->row_blocks = et_cpu_parts(rows, b->block_rows);
  b->column_blocks = et_cpu_parts(columns, b->block_columns);
  b->blocks = b->row_blocks * b->column_blocks;
  for (size_t i = 0; i + 2 < b->rank; i++) {
    b->blocks *= b->sizes[i];
  }
}

et_cpu_broadcast et_cpu_broadcast_of(et_cpu_tensor *const *operands,
                                     size_t count, const et_cpu_tensor *y,
                                     size_t max_elements) {
  et_cpu_broadcast b = {.operands = count};
  add_dims(&b, operands, y);
  divide(&b, max_elements);
  return b;
}

static void move_block(const et_cpu_broadcast *b, et_cpu_block *block,
                       size_t dim, size_t at, size_t out_stride) {
  block->offset += at * out_stride;
  for (size_t i = 0; i < b->operands; i++) {
    block->operands[i] += at * b->strides[i][dim];
  }
}

et_cpu_block et_cpu_broadcast_block(const et_cpu_broadcast *b, size_t index) {
  et_cpu_block block = {0};
  const size_t last = b->rank - 1;
  const size_t column = index % b->column_blocks;
  index /= b->column_blocks;
  const size_t row = index % b->row_blocks;
  index /= b->row_blocks;
  block.columns = et_cpu_part(b->sizes[last], b->block_columns, column);
  block.rows = et_cpu_part(b->sizes[last - 1], b->block_rows, row);
  move_block(b, &block, last, column * b->block_columns, 1);
  move_block(b, &block, last - 1, row * b->block_rows, b->sizes[last]);
  size_t stride = b->sizes[last] * b->sizes[last - 1];
  for (size_t dim = last - 1; dim-- > 0;) {
    move_block(b, &block, dim, index % b->sizes[dim], stride);
    index /= b->sizes[dim];
    stride *= b->sizes[dim];
  }
  return block;
}
