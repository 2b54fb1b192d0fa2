/* The values that sizes and integers of a method's inputs may have.
 *
 * A program lists them in ContainerMetadata.ranges (schema/program.fbs). Programs of
 * other exporters have no list: their sizes are checked against the upper bounds alone.
 *
 * A table, so that programs without ranges link none of it: only registries refer to it. */
#ifndef ET_RUNTIME_METHOD_RANGES_H_
#define ET_RUNTIME_METHOD_RANGES_H_

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"

struct et_ranges {
  /* Checks the list against the plan's values. INVALID_PROGRAM for a bad entry. */
  et_status (*check)(const et_builder *builder);
  /* Takes the list into use if the method has one. Its integers are unset then. */
  void (*bind)(const et_builder *builder);
  /* Checks the sizes of tensor input `index`, as many as it has dimensions.
   * INVALID_ARGUMENT for a fixed dimension, NOT_SUPPORTED for one out of range. */
  et_status (*check_sizes)(const et_method *method, size_t index,
                           const int32_t *sizes, et_error *error);
  /* Sets *out_is_ranged to whether input `index` is an integer with a range. If so,
   * checks and stores `value`. */
  et_status (*set_integer)(const et_method *method, size_t index,
                           const et_value *value, bool *out_is_ranged,
                           et_error *error);
  /* Checks inputs that share a Dim against each other, before a run. */
  et_status (*check_inputs)(const et_method *method, et_error *error);
  /* Marks integers as unset: a failed run has left their values unspecified. */
  void (*forget)(const et_method *method);
};

#endif /* ET_RUNTIME_METHOD_RANGES_H_ */
