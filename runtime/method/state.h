/* Mutable buffers and their initial values. */
#ifndef ET_RUNTIME_METHOD_STATE_H_
#define ET_RUNTIME_METHOD_STATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tensor_record.h"

/* Reads value `index`. Returns true if it is a planned tensor. */
bool et_state_read(et_fb_vector values, uint32_t index,
                   et_tensor_record *out_record);

/* Sets value `index`, which `record` describes, to its initial value, or to
 * zero without one. */
void et_state_set_initial(const et_method *method, uint32_t index,
                          const et_tensor_record *record);

/* State that methods share. The operations are in a table that only
 * et_planned_buffer.sharing refers to, so programs without shared state do not
 * link them. */
struct et_sharing {
  /* et_build_state for methods with shared state. */
  et_status (*build)(const et_builder *builder);
};

#endif /* ET_RUNTIME_METHOD_STATE_H_ */
