/* Programs of maps, as attributes: the number of operands, then instructions. */
#ifndef BACKENDS_CPU_OPS_ELEMENTWISE_PROGRAM_H_
#define BACKENDS_CPU_OPS_ELEMENTWISE_PROGRAM_H_

#include "backends/cpu/ops/op.h"

/* That opcodes are known, and that every register is an operand or the result of
 * an instruction before. */
et_status et_cpu_check_elementwise_program(const et_cpu_op *op,
                                           et_error *error);

#endif /* BACKENDS_CPU_OPS_ELEMENTWISE_PROGRAM_H_ */
