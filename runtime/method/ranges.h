/* Ranges of sizes and int inputs.
 *
 * A program lists them in ContainerMetadata.ranges (schema/program.fbs).
 * Programs of other exporters have no list; their sizes are checked against
 * upper bounds only.
 *
 * The operations are in a table that only registries refer to, so programs
 * without ranges do not link them. */
#ifndef ET_RUNTIME_METHOD_RANGES_H_
#define ET_RUNTIME_METHOD_RANGES_H_

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"

struct et_ranges {
  /* Checks the list against the plan's values. INVALID_PROGRAM for a bad entry. */
  et_status (*check)(const et_builder *builder);
  /* Enables the list if the method has one. Its ints are not set yet. */
  void (*bind)(const et_builder *builder);
  /* Checks the sizes of tensor input `index`; `sizes` has as many entries as
   * the input has dimensions. INVALID_ARGUMENT: a fixed size differs.
   * NOT_SUPPORTED: a size is out of range. */
  et_status (*check_sizes)(const et_method *method, size_t index,
                           const int32_t *sizes, et_error *error);
  /* Sets *out_is_ranged to true if input `index` is an int with a range; then
   * checks and stores `value`. */
  et_status (*set_integer)(const et_method *method, size_t index,
                           const et_value *value, bool *out_is_ranged,
                           et_error *error);
  /* Checks, before a run, that inputs with a common Dim agree. */
  et_status (*check_inputs)(const et_method *method, et_error *error);
  /* Marks ints as not set, because a failed run leaves them unspecified. */
  void (*forget)(const et_method *method);
};

#endif /* ET_RUNTIME_METHOD_RANGES_H_ */
