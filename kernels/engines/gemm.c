#include "kernels/engines/gemm.h"

/* Adds four summands to each element of two rows. */
static void add_four_to_two(size_t columns, const float *a, const float *c,
                            const float *restrict b, size_t stride,
                            float *restrict out0, float *restrict out1) {
  const float *restrict b1 = b + stride;
  const float *restrict b2 = b1 + stride;
  const float *restrict b3 = b2 + stride;
  const float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  for (size_t j = 0; j < columns; j++) {
    out0[j] += a0 * b[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    out1[j] += c0 * b[j] + c1 * b1[j] + c2 * b2[j] + c3 * b3[j];
  }
}

static void add_four(size_t columns, const float *a, const float *restrict b,
                     size_t stride, float *restrict out) {
  const float *restrict b1 = b + stride;
  const float *restrict b2 = b1 + stride;
  const float *restrict b3 = b2 + stride;
  const float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  for (size_t j = 0; j < columns; j++) {
    out[j] += a0 * b[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
  }
}

static void add_one(size_t columns, float a, const float *restrict b,
                    float *restrict out) {
  for (size_t j = 0; j < columns; j++) {
    out[j] += a * b[j];
  }
}

/* Four elements of row `row` of a, from column `column` on. */
static void load_four(const et_gemm_matrix *a, size_t row, size_t column,
                      float out[4]) {
  const float *from = a->data + (ptrdiff_t)row * a->row_stride +
                      (ptrdiff_t)column * a->column_stride;
  for (ptrdiff_t i = 0; i < 4; i++) {
    out[i] = from[i * a->column_stride];
  }
}

static float element(const et_gemm_matrix *a, size_t row, size_t column) {
  return a->data[(ptrdiff_t)row * a->row_stride +
                 (ptrdiff_t)column * a->column_stride];
}

static void accumulate_pair(size_t row, size_t columns, size_t depth,
                            const et_gemm_matrix *a, const et_gemm_panel *b,
                            float *out0, float *out1) {
  size_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    float a0[4];
    float a1[4];
    load_four(a, row, k, a0);
    load_four(a, row + 1, k, a1);
    add_four_to_two(columns, a0, a1, b->data + k * b->stride, b->stride, out0,
                    out1);
  }
  for (; k < depth; k++) {
    add_one(columns, element(a, row, k), b->data + k * b->stride, out0);
    add_one(columns, element(a, row + 1, k), b->data + k * b->stride, out1);
  }
}

static void accumulate_row(size_t row, size_t columns, size_t depth,
                           const et_gemm_matrix *a, const et_gemm_panel *b,
                           float *out) {
  size_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    float a0[4];
    load_four(a, row, k, a0);
    add_four(columns, a0, b->data + k * b->stride, b->stride, out);
  }
  for (; k < depth; k++) {
    add_one(columns, element(a, row, k), b->data + k * b->stride, out);
  }
}

static void start_row(et_gemm_start start, size_t row, size_t columns,
                      float *out) {
  const float value = start.rows == NULL ? 0.0f : start.rows[row];
  for (size_t j = 0; start.fresh && j < columns; j++) {
    out[j] = value;
  }
}

void et_gemm_accumulate(size_t rows, size_t columns, size_t depth,
                        const et_gemm_matrix *a, const et_gemm_panel *b,
                        et_gemm_start start, float *out, size_t out_stride) {
  size_t i = 0;
  for (; i + 2 <= rows; i += 2) {
    float *out0 = out + i * out_stride;
    float *out1 = out0 + out_stride;
    start_row(start, i, columns, out0);
    start_row(start, i + 1, columns, out1);
    accumulate_pair(i, columns, depth, a, b, out0, out1);
  }
  if (i < rows) {
    start_row(start, i, columns, out + i * out_stride);
    accumulate_row(i, columns, depth, a, b, out + i * out_stride);
  }
}

/* Partial sums that are kept apart: without them the additions would have to
 * follow one another, and could not be vectorised. */
#define LANES 32

static void add_products(const float *restrict a, const float *restrict b,
                         float *restrict sums) {
  for (size_t j = 0; j < LANES; j++) {
    sums[j] += a[j] * b[j] + a[j + LANES] * b[j + LANES] +
               a[j + 2 * LANES] * b[j + 2 * LANES] +
               a[j + 3 * LANES] * b[j + 3 * LANES];
  }
}

float et_gemm_dot(const float *a, const float *b, size_t depth) {
  float sums[LANES] = {0.0f};
  size_t k = 0;
  for (; k + 4 * LANES <= depth; k += 4 * LANES) {
    add_products(a + k, b + k, sums);
  }
  for (; k < depth; k++) {
    sums[k % LANES] += a[k] * b[k];
  }
  for (size_t width = LANES / 2; width > 0; width /= 2) {
    for (size_t j = 0; j < width; j++) {
      sums[j] += sums[j + width];
    }
  }
  return sums[0];
}
