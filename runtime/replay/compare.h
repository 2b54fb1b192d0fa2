/* Compares outputs of a program with recorded ones. */
#ifndef ET_RUNTIME_REPLAY_COMPARE_H_
#define ET_RUNTIME_REPLAY_COMPARE_H_

#include <stdbool.h>
#include <stddef.h>

#include "executorch/scalar_type.h"
#include "executorch/status.h"
#include "executorch/tensor.h"
#include "executorch/value.h"
#include "runtime/replay/calls.h"

/* An element passes if |actual - expected| <= atol + rtol * |expected|. NaN
 * equals NaN, and an infinity equals itself. */
typedef struct et_tolerance {
  double atol;
  double rtol;
} et_tolerance;

typedef struct et_difference {
  double max_absolute;
  double max_relative; /* only where expected is not 0 */
  size_t failed;       /* elements outside the tolerance */
  size_t first_failed; /* index in C order */
  double actual;       /* value at first_failed */
  double expected;
} et_difference;

/* Compares all elements, even if the dim orders differ. INVALID_TYPE: the kind,
 * dtype, shape or a non-tensor value differs; the message describes the
 * difference. */
et_status et_compare(const et_value *actual, const et_record *expected,
                     et_tolerance tolerance, et_difference *out_difference,
                     et_error *error);

/* Returns the offset, in elements, of element `index` (in C order) for these
 * strides. */
size_t et_compare_offset(size_t index, const int32_t *sizes,
                         const int32_t *strides, size_t rank);

/* Writes the elements of a recorded tensor to `out` in another dim order. `out`
 * has record->bytes.size bytes. */
void et_record_reorder(const et_record *record, const uint8_t *dim_order,
                       void *out);

/* Returns the element at `data`, which may be unaligned, as a double. Integers
 * beyond 2^53 are rounded. */
double et_element_load(et_scalar_type dtype, const void *data);

typedef struct et_similarity {
  double sqnr; /* energy of the expected tensor over that of the error, in dB */
  double cosine; /* cosine of the angle between both tensors as vectors */
} et_similarity;

/* Compares the dequantized elements of `actual` with `expected`. Equal tensors
 * have an infinite SQNR and a cosine of 1. INVALID_TYPE: the shapes differ. */
et_status et_similarity_of(const et_tensor *actual, et_record_steps steps,
                           const et_record *expected,
                           et_similarity *out_similarity, et_error *error);

#endif /* ET_RUNTIME_REPLAY_COMPARE_H_ */
