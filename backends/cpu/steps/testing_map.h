/* What the instructions of maps give. */
#ifndef BACKENDS_CPU_STEPS_TESTING_MAP_H_
#define BACKENDS_CPU_STEPS_TESTING_MAP_H_

#include <stdint.h>

/* The result of an et_cpu_map_opcode; of three registers the last is the first. */
double et_test_map_result(uint32_t opcode, double a, double b);

#endif /* BACKENDS_CPU_STEPS_TESTING_MAP_H_ */
