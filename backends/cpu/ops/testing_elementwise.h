/* Expected results of elementwise instructions. */
#ifndef BACKENDS_CPU_OPS_TESTING_ELEMENTWISE_H_
#define BACKENDS_CPU_OPS_TESTING_ELEMENTWISE_H_

#include <stdint.h>

/* Returns the result of an et_cpu_opcode for a and b. The third operand of WHERE is a. */
double et_test_elementwise_result(uint32_t opcode, double a, double b);

#endif /* BACKENDS_CPU_OPS_TESTING_ELEMENTWISE_H_ */
