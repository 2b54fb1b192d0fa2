/* Op types for tests of the runtime. */
#ifndef BACKENDS_CPU_RUNTIME_TESTING_CPU_TEST_OPS_H_
#define BACKENDS_CPU_RUNTIME_TESTING_CPU_TEST_OPS_H_

#include "backends/cpu/ops/op.h"

enum {
  CPU_TEST_SHIFT = 1001, /* y = x + attribute 0; in-place */
  CPU_TEST_SUM = 1002,   /* y = sum of x and dim 0 */
  CPU_TEST_FIRST = 1003, /* y = x[0] in all elements; in-place */
};

#define CPU_TEST_PARTS 3
extern const et_backend_part *const cpu_test_parts[CPU_TEST_PARTS];

#endif /* BACKENDS_CPU_RUNTIME_TESTING_CPU_TEST_OPS_H_ */
