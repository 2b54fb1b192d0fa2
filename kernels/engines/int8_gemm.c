#include "kernels/engines/int8.h"

#include <stdbool.h>
#include <string.h>

/* Tile of the result. Its accumulators stay in registers over a depth block. */
enum { ROWS = 4, COLUMNS = 2 };

/* Elements of a weight row that are widened to int16 at a time. */
#define DEPTH_BLOCK ((size_t)512)

/* Accumulators of a tile's rows for all columns of a panel. */
typedef struct accumulators {
  int32_t at[ROWS][ET_INT8_GEMM_COLUMNS];
} accumulators;

size_t et_int8_gemm_columns(size_t depth, et_mutable_span scratch) {
  const size_t pitch = ET_INT8_GEMM_PITCH(depth);
  const size_t fitting = pitch == 0 ? ET_INT8_GEMM_COLUMNS
                                    : scratch.size / (pitch * sizeof(int16_t));
  return fitting < ET_INT8_GEMM_COLUMNS ? fitting : ET_INT8_GEMM_COLUMNS;
}

void et_int8_requantize(const int32_t *restrict accumulators, size_t count,
                        float factor, float bias, const et_int8_range *range,
                        uint8_t *restrict out) {
  const et_int8_range limits = *range;
  for (size_t i = 0; i < count; i++) {
    out[i] = et_int8_quantize((float)accumulators[i] * factor + bias, &limits);
  }
}

/* Widens elements [at, at + count) of weight rows [row, row + ROWS) to int16.
 * Missing rows and elements are zero. */
static void widen(const et_int8_gemm *gemm, size_t row, size_t at, size_t count,
                  int16_t wide[ROWS][DEPTH_BLOCK]) {
  const size_t padded = ET_INT8_GEMM_PITCH(count);
  for (size_t r = 0; r < ROWS; r++) {
    const bool is_there = row + r < gemm->rows;
    const size_t taken = is_there ? count : 0;
    const int8_t *from =
        gemm->weight + (is_there ? (row + r) * gemm->depth + at : 0);
    for (size_t i = 0; i < taken; i++) {
      wide[r][i] = from[i];
    }
    memset(&wide[r][taken], 0, (padded - taken) * sizeof(int16_t));
  }
}

/* Accumulates a tile. `depth` is a multiple of 8. */
static void add_tile(int16_t wide[ROWS][DEPTH_BLOCK],
                     const int16_t *const *columns, size_t depth,
                     int32_t *const *to) {
  const int16_t *restrict x = columns[0];
  const int16_t *restrict y = columns[1];
  int32_t a[ROWS] = {0};
  int32_t b[ROWS] = {0};
  for (size_t k = 0; k < depth; k++) {
    a[0] += (int32_t)wide[0][k] * x[k];
    b[0] += (int32_t)wide[0][k] * y[k];
    a[1] += (int32_t)wide[1][k] * x[k];
    b[1] += (int32_t)wide[1][k] * y[k];
    a[2] += (int32_t)wide[2][k] * x[k];
    b[2] += (int32_t)wide[2][k] * y[k];
    a[3] += (int32_t)wide[3][k] * x[k];
    b[3] += (int32_t)wide[3][k] * y[k];
  }
  for (size_t r = 0; r < ROWS; r++) {
    to[0][r * ET_INT8_GEMM_COLUMNS] += a[r];
    to[1][r * ET_INT8_GEMM_COLUMNS] += b[r];
  }
}

/* Accumulates a tile with a single column. */
static void add_column(int16_t wide[ROWS][DEPTH_BLOCK],
                       const int16_t *restrict x, size_t depth, int32_t *to) {
  int32_t a[ROWS] = {0};
  for (size_t k = 0; k < depth; k++) {
    a[0] += (int32_t)wide[0][k] * x[k];
    a[1] += (int32_t)wide[1][k] * x[k];
    a[2] += (int32_t)wide[2][k] * x[k];
    a[3] += (int32_t)wide[3][k] * x[k];
  }
  for (size_t r = 0; r < ROWS; r++) {
    to[r * ET_INT8_GEMM_COLUMNS] += a[r];
  }
}

static void add_block(int16_t wide[ROWS][DEPTH_BLOCK], const int16_t *panel,
                      size_t pitch, size_t columns, size_t depth,
                      accumulators *to) {
  size_t c = 0;
  for (; c + COLUMNS <= columns; c += COLUMNS) {
    add_tile(
        wide,
        (const int16_t *const[]){panel + c * pitch, panel + (c + 1) * pitch},
        depth, (int32_t *const[]){&to->at[0][c], &to->at[0][c + 1]});
  }
  if (c < columns) {
    add_column(wide, panel + c * pitch, depth, &to->at[0][c]);
  }
}

static void store_row(const et_int8_gemm *gemm, size_t row, const int32_t *from,
                      size_t columns) {
  const float bias = gemm->bias == NULL ? 0.0f : gemm->bias[row];
  uint8_t *out = gemm->out + row * gemm->row_stride;
  uint8_t quantized[ET_INT8_GEMM_COLUMNS];
  const bool is_run = gemm->column_stride == 1;
  et_int8_requantize(from, columns, gemm->factors[row], bias, &gemm->range,
                     is_run ? out : quantized);
  for (size_t c = 0; !is_run && c < columns; c++) {
    out[c * gemm->column_stride] = quantized[c];
  }
}

void et_int8_gemm_run(const et_int8_gemm *gemm, const int16_t *panel,
                      size_t columns) {
  const size_t pitch = ET_INT8_GEMM_PITCH(gemm->depth);
  int16_t wide[ROWS][DEPTH_BLOCK];
  accumulators found;
  for (size_t row = 0; row < gemm->rows; row += ROWS) {
    for (size_t r = 0; r < ROWS; r++) {
      memset(found.at[r], 0, columns * sizeof(found.at[r][0]));
    }
    for (size_t at = 0; at < gemm->depth; at += DEPTH_BLOCK) {
      const size_t rest = gemm->depth - at;
      const size_t count = rest < DEPTH_BLOCK ? rest : DEPTH_BLOCK;
      widen(gemm, row, at, count, wide);
      add_block(wide, panel + at, pitch, columns, ET_INT8_GEMM_PITCH(count),
                &found);
    }
    for (size_t r = 0; r < ROWS && row + r < gemm->rows; r++) {
      store_row(gemm, row + r, found.at[r], columns);
    }
  }
}
