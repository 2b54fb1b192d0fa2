/* Operands that are broadcast, right-aligned, to the sizes of an output, and the
 * output in blocks of rows times columns of its last two dims. */
#ifndef BACKENDS_CPU_OPS_BROADCAST_H_
#define BACKENDS_CPU_OPS_BROADCAST_H_

#include "backends/cpu/ops/op.h"

#define ET_CPU_BROADCAST_OPERANDS 8

/* The output's dims, those that all operands have as neighbours as one, behind
 * two of size 1: there are always rows and columns. */
typedef struct et_cpu_broadcast {
  size_t operands;
  size_t rank;
  size_t sizes[ET_CPU_MAX_RANK + 2];
  size_t strides[ET_CPU_BROADCAST_OPERANDS][ET_CPU_MAX_RANK + 2]; /* elements */
  size_t block_rows;
  size_t block_columns;
  size_t row_blocks;
  size_t column_blocks;
  size_t blocks;
} et_cpu_broadcast;

/* A block of the output, and where operands begin for it. */
typedef struct et_cpu_block {
  size_t rows;
  size_t columns;
  size_t offset;
  size_t operands[ET_CPU_BROADCAST_OPERANDS];
} et_cpu_block;

/* That input `index` is broadcast to output 0. */
et_status et_cpu_check_broadcast(const et_cpu_op *op, size_t index,
                                 et_error *error);

/* Of an op whose inputs are all operands, and whose output has elements. Blocks
 * have at most `most` of them. */
et_cpu_broadcast et_cpu_broadcast_of(const et_cpu_op *op, size_t most);

et_cpu_block et_cpu_broadcast_block(const et_cpu_broadcast *broadcast,
                                    size_t index);

#endif /* BACKENDS_CPU_OPS_BROADCAST_H_ */
