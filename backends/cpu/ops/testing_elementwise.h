/* What the instructions of maps give. */
#ifndef BACKENDS_CPU_OPS_TESTING_ELEMENTWISE_H_
#define BACKENDS_CPU_OPS_TESTING_ELEMENTWISE_H_

#include <stdint.h>

/* The result of an et_cpu_elementwise_opcode; of three registers the last is the first. */
double et_test_elementwise_result(uint32_t opcode, double a, double b);

#endif /* BACKENDS_CPU_OPS_TESTING_ELEMENTWISE_H_ */
