/* Scalar values, for operators on sizes. */
#ifndef ET_RUNTIME_PRIM_NUMBER_H_
#define ET_RUNTIME_PRIM_NUMBER_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "executorch/value.h"

/* Returns true if Python treats the value as a float. bool counts as int. */
static inline bool et_number_is_float(const et_value *value) {
  return value->tag == ET_VALUE_DOUBLE;
}

/* Returns true if either operand makes the result a float. */
static inline bool et_number_is_float_pair(const et_value *a,
                                           const et_value *b) {
  return et_number_is_float(a) || et_number_is_float(b);
}

/* Store a result in a value of the same kind. An int may be stored in a float.
 * INVALID_TYPE: any other combination, because a value's kind never changes. */
et_status et_number_store_int(et_kernel_context *context, et_value *out,
                              int64_t result);
et_status et_number_store_double(et_kernel_context *context, et_value *out,
                                 double result);
et_status et_number_store_bool(et_kernel_context *context, et_value *out,
                               bool result);

/* Stores a float as an int. INVALID_ARGUMENT: it is NaN or out of range. */
et_status et_number_store_truncated(et_kernel_context *context, et_value *out,
                                    double result);

#endif /* ET_RUNTIME_PRIM_NUMBER_H_ */
