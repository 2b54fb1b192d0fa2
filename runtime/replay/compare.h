/* Comparing what a program gave with what was recorded. */
#ifndef ET_RUNTIME_REPLAY_COMPARE_H_
#define ET_RUNTIME_REPLAY_COMPARE_H_

#include <stdbool.h>
#include <stddef.h>

#include "executorch/status.h"
#include "executorch/value.h"
#include "runtime/replay/calls.h"

/* |actual - expected| <= atol + rtol * |expected| passes; NaN equals NaN, and
 * an infinity itself. */
typedef struct et_tolerance {
  double atol;
  double rtol;
} et_tolerance;

typedef struct et_difference {
  double max_absolute;
  double max_relative; /* where expected is not 0 */
  size_t failed;       /* elements out of tolerance */
  size_t first_failed; /* in C order */
  double actual;       /* at first_failed */
  double expected;
} et_difference;

/* Compares each element, whatever the dim orders are. INVALID_TYPE says how
 * kind, dtype, shape or a value that is no tensor differs. */
et_status et_compare(const et_value *actual, const et_record *expected,
                     et_tolerance tolerance, et_difference *out_difference,
                     et_error *error);

/* Index of element `index` (in C order) in memory with these strides. */
size_t et_compare_offset(size_t index, const int32_t *sizes,
                         const int32_t *strides, size_t rank);

/* Writes the elements of a recorded tensor to `out`, record->bytes.size bytes,
 * in another dim order of the same rank. */
void et_record_reorder(const et_record *record, const uint8_t *dim_order,
                       void *out);

#endif /* ET_RUNTIME_REPLAY_COMPARE_H_ */
