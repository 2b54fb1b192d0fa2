/* Matrix multiplication for any dtype and layout, in blocks. A converted
 * element of b is used for all rows of a block, and a converted element of a
 * for all its columns. K is accumulated in order. */
#include <string.h>

#include "executorch/kernels/convert.h"
#include "kernels/engines/matmul.h"
#include "runtime/core/arithmetic.h"

#define BLOCK_ROWS 8
#define BLOCK_COLUMNS 32
#define BLOCK_DEPTH 32

/* A block of results and its compute type. */
typedef struct block {
  const et_matmul *matmul;
  et_compute compute;
  int64_t row;
  int64_t column;
  size_t rows;
  size_t columns;
} block;

typedef union accumulators {
  double float64[BLOCK_ROWS][BLOCK_COLUMNS];
  int64_t int64[BLOCK_ROWS][BLOCK_COLUMNS];
} accumulators;

typedef union factors {
  double float64[BLOCK_ROWS][BLOCK_DEPTH];
  int64_t int64[BLOCK_ROWS][BLOCK_DEPTH];
} factors;

/* Loads `count` elements of row i, from column j. */
static void load(const et_view *view, int64_t i, int64_t j, size_t count,
                 et_compute compute, void *out) {
  const int64_t size = (int64_t)et_scalar_type_size((int32_t)view->dtype);
  const int64_t at = i * view->strides[0] + j * view->strides[1];
  et_load_run(compute, view->dtype, view->data + at * size,
              (ptrdiff_t)(view->strides[1] * size), count, out);
}

static void add_double(size_t columns, double a, const double *restrict b,
                       double *restrict out) {
  for (size_t j = 0; j < columns; j++) {
    out[j] += a * b[j];
  }
}

static void add_int64(size_t columns, int64_t a, const int64_t *restrict b,
                      int64_t *restrict out) {
  for (size_t j = 0; j < columns; j++) {
    out[j] = et_wrap_add(out[j], et_wrap_mul(a, b[j]));
  }
}

static void add_row_of_b(const block *b, const factors *a, size_t k,
                         const et_chunk *row, accumulators *out) {
  for (size_t i = 0; i < b->rows; i++) {
    if (b->compute == ET_COMPUTE_FLOAT64) {
      add_double(b->columns, a->float64[i][k], row->float64, out->float64[i]);
    } else {
      add_int64(b->columns, a->int64[i][k], row->int64, out->int64[i]);
    }
  }
}

static void add_dot_products(const block *b, accumulators *out) {
  const et_matmul *p = b->matmul;
  const int64_t depth = p->a.sizes[1];
  for (int64_t k = 0; k < depth; k += BLOCK_DEPTH) {
    const size_t n = (size_t)et_min_i64(depth - k, BLOCK_DEPTH);
    factors a;
    for (size_t i = 0; i < b->rows; i++) {
      load(&p->a, b->row + (int64_t)i, k, n, b->compute, a.float64[i]);
    }
    for (size_t t = 0; t < n; t++) {
      et_chunk row;
      load(&p->b, k + (int64_t)t, b->column, b->columns, b->compute, &row);
      add_row_of_b(b, &a, t, &row, out);
    }
  }
}

static double real_of(const et_value *number) {
  return number == NULL ? 1.0 : et_scalar_to_double(number);
}

static int64_t integer_of(const et_value *number) {
  return number == NULL ? 1 : et_scalar_to_int(number);
}

/* If beta is 0, the bias is ignored even if it is NaN, as in PyTorch. */
static void finish_double(const block *b, int64_t row, double *results) {
  const et_matmul *p = b->matmul;
  const double alpha = real_of(p->alpha);
  const double beta = real_of(p->beta);
  const bool has_bias = p->bias.data != NULL && beta != 0.0;
  et_chunk bias;
  if (has_bias) {
    load(&p->bias, row, b->column, b->columns, b->compute, &bias);
  }
  for (size_t j = 0; j < b->columns; j++) {
    results[j] = has_bias ? alpha * results[j] + beta * bias.float64[j]
                          : alpha * results[j];
  }
}

static void finish_int64(const block *b, int64_t row, int64_t *results) {
  const et_matmul *p = b->matmul;
  const int64_t alpha = integer_of(p->alpha);
  const int64_t beta = integer_of(p->beta);
  et_chunk bias;
  if (p->bias.data != NULL) {
    load(&p->bias, row, b->column, b->columns, b->compute, &bias);
  }
  for (size_t j = 0; j < b->columns; j++) {
    const int64_t added =
        p->bias.data == NULL ? 0 : et_wrap_mul(beta, bias.int64[j]);
    results[j] = et_wrap_add(et_wrap_mul(alpha, results[j]), added);
  }
}

static void compute_block(const block *b) {
  const et_view *out = &b->matmul->out;
  const int64_t size = (int64_t)et_scalar_type_size((int32_t)out->dtype);
  accumulators results;
  memset(&results, 0, sizeof results);
  add_dot_products(b, &results);
  for (size_t i = 0; i < b->rows; i++) {
    const int64_t row = b->row + (int64_t)i;
    const int64_t at = row * out->strides[0] + b->column * out->strides[1];
    if (b->compute == ET_COMPUTE_FLOAT64) {
      finish_double(b, row, results.float64[i]);
    } else {
      finish_int64(b, row, results.int64[i]);
    }
    et_store_run(b->compute, results.float64[i], out->dtype,
                 out->data + at * size, (ptrdiff_t)(out->strides[1] * size),
                 b->columns);
  }
}

void et_matmul_any(const et_matmul *p) {
  const bool real = et_scalar_type_is_floating(p->out.dtype);
  block b = {.matmul = p,
             .compute = real ? ET_COMPUTE_FLOAT64 : ET_COMPUTE_INT64};
  for (; b.row < p->out.sizes[0]; b.row += BLOCK_ROWS) {
    b.rows = (size_t)et_min_i64(p->out.sizes[0] - b.row, BLOCK_ROWS);
    for (b.column = 0; b.column < p->out.sizes[1]; b.column += BLOCK_COLUMNS) {
      b.columns = (size_t)et_min_i64(p->out.sizes[1] - b.column, BLOCK_COLUMNS);
      compute_block(&b);
    }
  }
}
