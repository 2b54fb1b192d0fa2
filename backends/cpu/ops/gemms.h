/* Code shared by GEMMs: checks of float weights, and the division of the output into blocks. */
#ifndef BACKENDS_CPU_OPS_GEMMS_H_
#define BACKENDS_CPU_OPS_GEMMS_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/gemm_f32.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/schema/gemm_f32.h"

/* Division of the output of a GEMM into blocks of similar size, for threads. */

typedef struct et_cpu_blocks {
  size_t rows;
  size_t columns;
  size_t row_parts;
  size_t column_parts; /* whole panels, except for the last part */
} et_cpu_blocks;

/* Returns the number of rows of a block. The rows stay in the L2 cache while weights are streamed,
 * and are enough to amortize reading the weights. */
static inline size_t et_cpu_rows_per_block(size_t depth) {
  const size_t floats = 98304;
  const size_t min = 252;
  const size_t max = 768;
  const size_t rows = floats / (depth > 0 ? depth : 1) / 6 * 6;
  return rows < min ? min : rows > max ? max : rows;
}

/* Maximum number of rows per block if weights are converted to float32. Each block converts them
 * once. */
#define ET_CPU_WIDENED_ROWS 512

static inline size_t et_cpu_block_count(const et_cpu_blocks *b) {
  return b->row_parts * b->column_parts;
}

/* Returns block `index`. Blocks with the same rows are consecutive. */
static inline et_cpu_range et_cpu_block_at(const et_cpu_blocks *b,
                                           size_t index) {
  const size_t row = index / b->column_parts;
  const size_t column = index % b->column_parts;
  const size_t panels = et_cpu_parts(b->columns, 16);
  const size_t first_row = et_first_of_part(b->rows, row, b->row_parts);
  const size_t first = et_first_of_part(panels, column, b->column_parts) * 16;
  const size_t end = et_first_of_part(panels, column + 1, b->column_parts) * 16;
  const et_cpu_range range = {
      first_row, et_first_of_part(b->rows, row + 1, b->row_parts) - first_row,
      first, (end < b->columns ? end : b->columns) - first};
  return range;
}

/* Returns whether to divide rows among threads. Each thread then reads all weights, but less data
 * from the caches of other threads than if columns were divided. */
static inline bool et_cpu_divides_rows(size_t rows, size_t columns,
                                       size_t depth, size_t threads) {
  const size_t min = 24; /* rows that amortize reading the weights */
  return rows / threads >= min && depth * columns <= rows * (depth + columns);
}

/* Returns the number of column parts: a multiple of `threads`, or fewer if there are too few
 * panels. Each thread gets several parts only if each part has at least `min` panels, because tiles
 * span several panels. */
static inline size_t et_cpu_column_parts(size_t columns, size_t threads) {
  const size_t min = 8;
  const size_t panels = et_cpu_parts(columns, 16);
  const size_t rounds = panels / (min * threads);
  const size_t parts = threads * (rounds > 0 ? rounds : 1);
  return panels == 0 ? 1 : parts < panels ? parts : panels;
}

/* Minimum number of multiplications for which a second thread is worth its overhead. */
#define ET_CPU_WORTH_SHARING 65536

/* Divides a GEMM among `threads` threads, in parts of at most `max` rows. */
static inline et_cpu_blocks et_cpu_share_gemm(size_t rows, size_t columns,
                                              size_t depth, size_t max,
                                              size_t threads) {
  et_cpu_blocks b = {rows, columns, et_cpu_parts(rows, max), 1};
  if (threads < 2 || rows * columns < ET_CPU_WORTH_SHARING / (depth + 1)) {
    return b;
  }
  if (et_cpu_divides_rows(rows, columns, depth, threads)) {
    b.row_parts = et_cpu_parts(b.row_parts, threads) * threads;
  } else {
    b.column_parts = et_cpu_column_parts(columns, threads);
  }
  return b;
}

/* Like et_cpu_share_gemm, but for GEMMs in which the preparation of rows is a large part of the
 * work. Each thread gets the same number of row parts. Columns are divided only if threads would
 * otherwise have few rows. */
static inline et_cpu_blocks et_cpu_share_ready_rows(size_t rows, size_t columns,
                                                    size_t depth, size_t max,
                                                    size_t threads) {
  const size_t min = 12;
  et_cpu_blocks b = {rows, columns, et_cpu_parts(rows, max), 1};
  if (threads < 2 || rows * columns < ET_CPU_WORTH_SHARING / (depth + 1)) {
    return b;
  }
  const size_t fit = et_cpu_parts(rows, min);
  const size_t lanes = threads < fit ? threads : fit;
  b.row_parts = et_cpu_parts(rows, et_cpu_even_part(rows, max, lanes));
  if (lanes < threads) {
    b.column_parts = et_cpu_column_parts(columns, threads / lanes);
  }
  return b;
}

/* Code shared by ops with prepacked floating-point weights. */

/* Checks that y has as many rows as x, and that a residual has the shape of y. */
et_status et_cpu_gemm_check_rows(const et_cpu_op *op,
                                 const et_cpu_gemm_f32_args *args,
                                 et_error *error);

/* Checks all sizes of `gemm_f32`, for weights of any dtype. */
et_status et_cpu_gemm_check(const et_cpu_op *op,
                            const et_cpu_gemm_f32_args *args, et_error *error);

/* Returns the arguments of the microkernels, except for the weights. */
et_cpu_gemm et_cpu_gemm_of(const et_cpu_gemm_f32_args *args);

/* Divides the output into blocks of at most `max_rows` rows. */
et_cpu_blocks et_cpu_gemm_blocks(const et_cpu_gemm_f32_args *args,
                                 const et_cpu_run *run, size_t max_rows);

#endif /* BACKENDS_CPU_OPS_GEMMS_H_ */
