/* Programs of maps, as attributes: the number of operands, then instructions. */
#ifndef BACKENDS_CPU_STEPS_MAP_PROGRAM_H_
#define BACKENDS_CPU_STEPS_MAP_PROGRAM_H_

#include "backends/cpu/steps/step.h"

/* That opcodes are known, and that every register is an operand or the result of
 * an instruction before. */
et_status et_cpu_check_map_program(const et_cpu_step *step, et_error *error);

#endif /* BACKENDS_CPU_STEPS_MAP_PROGRAM_H_ */
