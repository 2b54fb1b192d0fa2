/* Numbers in values, as the operators on sizes compute with them. */
#ifndef ET_RUNTIME_PRIM_NUMBER_H_
#define ET_RUNTIME_PRIM_NUMBER_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "executorch/value.h"

/* Whether Python would compute with it as a float: int and bool are ints. */
static inline bool et_number_is_float(const et_value *value) {
  return value->tag == ET_VALUE_DOUBLE;
}

/* Whether either operand makes the result a float. */
static inline bool et_number_is_float_pair(const et_value *a,
                                           const et_value *b) {
  return et_number_is_float(a) || et_number_is_float(b);
}

/* Each stores a result in a value that was declared to hold it; an int may go
 * to a float. INVALID_TYPE otherwise: a value never changes its kind. */
et_status et_number_store_int(et_kernel_context *context, et_value *out,
                              int64_t result);
et_status et_number_store_double(et_kernel_context *context, et_value *out,
                                 double result);
et_status et_number_store_bool(et_kernel_context *context, et_value *out,
                               bool result);

/* Stores a float as an int. INVALID_ARGUMENT when it is NaN or does not fit. */
et_status et_number_store_truncated(et_kernel_context *context, et_value *out,
                                    double result);

#endif /* ET_RUNTIME_PRIM_NUMBER_H_ */
