/* Decoding the values of a program into structs that somebody else keeps. */
#ifndef ET_RUNTIME_METHOD_FILL_H_
#define ET_RUNTIME_METHOD_FILL_H_

#include <stdint.h>

#include "executorch/status.h"
#include "executorch/value.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tensor_record.h"

/* Where the parts of values go; each filled value moves the first three on. */
typedef struct et_fill {
  et_tensor *tensor;
  et_value **item;
  int32_t *dim;
  /* Where the value that an item of a list names lies. */
  et_value *(*value_at)(void *context, uint32_t index);
  void *context;
  et_error *error;
} et_fill;

/* Fills `out_value` from EValue `index` of `values`. A tensor is described in
 * *out_record too, and has no data yet. */
et_status et_fill_value(et_fill *fill, et_fb_vector values, uint32_t index,
                        et_value *out_value, et_tensor_record *out_record);

/* Writes an INT, BOOL or DOUBLE from its table; leaves other values alone. */
void et_fill_scalar(et_fb_table held, et_value *out_value);

#endif /* ET_RUNTIME_METHOD_FILL_H_ */
