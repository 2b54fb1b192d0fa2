/* Kernels and a backend for tests; see program_test_support.h. */
#ifndef ET_RUNTIME_TESTING_TEST_KERNELS_H_
#define ET_RUNTIME_TESTING_TEST_KERNELS_H_

#include "executorch/backend.h"

extern const et_registry et_test_registry;

#endif /* ET_RUNTIME_TESTING_TEST_KERNELS_H_ */
