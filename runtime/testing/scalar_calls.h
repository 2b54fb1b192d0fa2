/* Scalar values, and calls of kernels with two operands. */
#ifndef ET_RUNTIME_TESTING_SCALAR_CALLS_H_
#define ET_RUNTIME_TESTING_SCALAR_CALLS_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/value.h"

static inline et_value et_test_int(int64_t number) {
  const et_value value = {ET_VALUE_INT, {.as_int = number}};
  return value;
}

static inline et_value et_test_double(double number) {
  const et_value value = {ET_VALUE_DOUBLE, {.as_double = number}};
  return value;
}

static inline et_value et_test_bool(bool truth) {
  const et_value value = {ET_VALUE_BOOL, {.as_bool = truth}};
  return value;
}

/* Calls a kernel with two operands and an output. *out is both argument and
 * result. */
static inline et_status et_test_call(et_kernel_fn kernel, et_value a,
                                     et_value b, et_value *out) {
  et_kernel_context context = {.error = NULL};
  et_value *args[3] = {&a, &b, out};
  return kernel(&context, args);
}

#endif /* ET_RUNTIME_TESTING_SCALAR_CALLS_H_ */
