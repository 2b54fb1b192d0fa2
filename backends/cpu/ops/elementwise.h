/* Code shared by elementwise ops: broadcasting, and the verification of programs. */
#ifndef BACKENDS_CPU_OPS_ELEMENTWISE_H_
#define BACKENDS_CPU_OPS_ELEMENTWISE_H_

#include "backends/cpu/ops/op.h"
#include "backends/cpu/schema/kernel_sizes.h"

/* Broadcasting of operands to the sizes of an output. Dimensions are right-aligned as in PyTorch.
 * The output is divided into blocks of rows and columns of its last two dimensions. */

/* Dimensions of the output. Dimensions that are contiguous in all operands are joined. The first
 * two have size 1, so that there are always rows and columns. */
typedef struct et_cpu_broadcast {
  size_t operands;
  size_t rank;
  size_t sizes[ET_CPU_MAX_RANK + 2];
  size_t strides[ET_CPU_ELEMENTWISE_MAX_OPERANDS]
                [ET_CPU_MAX_RANK + 2]; /* elements */
  size_t block_rows;
  size_t block_columns;
  size_t row_blocks;
  size_t column_blocks;
  size_t blocks;
} et_cpu_broadcast;

/* A block of the output. Offsets of the output and of the operands are in elements. */
typedef struct et_cpu_block {
  size_t rows;
  size_t columns;
  size_t offset;
  size_t operands[ET_CPU_ELEMENTWISE_MAX_OPERANDS];
} et_cpu_block;

/* Checks that `x` of `op` can be broadcast to `y`. */
et_status et_cpu_check_broadcast(const et_cpu_op *op, const et_cpu_tensor *x,
                                 const et_cpu_tensor *y, et_error *error);

/* Divides y into blocks of at most `max_elements`. y must not be empty. */
et_cpu_broadcast et_cpu_broadcast_of(et_cpu_tensor *const *operands,
                                     size_t count, const et_cpu_tensor *y,
                                     size_t max_elements);

et_cpu_block et_cpu_broadcast_block(const et_cpu_broadcast *broadcast,
                                    size_t index);

/* Verification of elementwise programs. */

/* Program of an elementwise op, decoded from its attributes. */
typedef struct et_cpu_elementwise_program {
  int32_t operands;
  const uint32_t *instructions; /* format: et_cpu_instruction_read() */
  size_t count;
} et_cpu_elementwise_program;

/* Checks that a program is valid:
 * - It has one operand per input of `op`, at least one instruction, and not too many registers.
 * - Each instruction reads operands or results of earlier instructions.
 * - Activation functions are known. */
et_status et_cpu_check_elementwise_program(
    const et_cpu_op *op, const et_cpu_elementwise_program *program,
    et_error *error);

#endif /* BACKENDS_CPU_OPS_ELEMENTWISE_H_ */
