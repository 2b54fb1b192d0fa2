/* Decodes a program's values into the caller's structs. */
#ifndef ET_RUNTIME_METHOD_FILL_H_
#define ET_RUNTIME_METHOD_FILL_H_

#include <stdint.h>

#include "executorch/status.h"
#include "executorch/value.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tensor_record.h"

/* Destinations for parts of values. Filling a value advances `tensor`, `item`
 * and `dim`. */
typedef struct et_fill {
  et_tensor *tensor;
  et_value **item;
  int32_t *dim;
  /* Returns the address of the value that a list item refers to. */
  et_value *(*value_at)(void *context, uint32_t index);
  void *context;
  et_error *error;
} et_fill;

/* Fills `out_value` from EValue `index` of `values`. If it is a tensor, it has
 * no data yet, and *out_record describes it. */
et_status et_fill_value(et_fill *fill, et_fb_vector values, uint32_t index,
                        et_value *out_value, et_tensor_record *out_record);

/* Sets an INT, BOOL or DOUBLE from its table. Ignores values of other kinds. */
void et_fill_scalar(et_fb_table held, et_value *out_value);

#endif /* ET_RUNTIME_METHOD_FILL_H_ */
