/* Verification of elementwise programs. */
#ifndef BACKENDS_CPU_OPS_ELEMENTWISE_PROGRAM_H_
#define BACKENDS_CPU_OPS_ELEMENTWISE_PROGRAM_H_

#include "backends/cpu/ops/op.h"

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

#endif /* BACKENDS_CPU_OPS_ELEMENTWISE_PROGRAM_H_ */
