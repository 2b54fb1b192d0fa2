/* A product's output in blocks of rows times blocks of columns, which threads
 * share. */
#ifndef BACKENDS_CPU_STEPS_PRODUCT_BLOCKS_H_
#define BACKENDS_CPU_STEPS_PRODUCT_BLOCKS_H_

#include "backends/cpu/simd/product.h"
#include "backends/cpu/steps/chunks.h"

typedef struct et_cpu_blocks {
  size_t rows;
  size_t columns;
  size_t block_rows;
  size_t block_columns; /* whole panels, or all */
} et_cpu_blocks;

static inline size_t et_cpu_block_count(const et_cpu_blocks *b) {
  return et_cpu_parts(b->rows, b->block_rows) *
         et_cpu_parts(b->columns, b->block_columns);
}

/* Block `index`: those of the same rows follow each other. */
static inline et_cpu_range et_cpu_block_at(const et_cpu_blocks *b,
                                           size_t index) {
  const size_t across = et_cpu_parts(b->columns, b->block_columns);
  const size_t row = index / across;
  const size_t column = index % across;
  const et_cpu_range range = {
      row * b->block_rows, et_cpu_part(b->rows, b->block_rows, row),
      column * b->block_columns,
      et_cpu_part(b->columns, b->block_columns, column)};
  return range;
}

/* Columns of a block of a product of float: whole groups of panels, about half
 * a million multiplications. */
static inline size_t et_cpu_block_columns(size_t rows, size_t depth) {
  const size_t enough = 524288;
  const size_t columns = enough / (rows * depth + 1) / 64 * 64;
  return columns < 64 ? 64 : columns;
}

#endif /* BACKENDS_CPU_STEPS_PRODUCT_BLOCKS_H_ */
