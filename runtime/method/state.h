/* What methods keep from run to run, and its initial values. */
#ifndef ET_RUNTIME_METHOD_STATE_H_
#define ET_RUNTIME_METHOD_STATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tensor_record.h"

/* Whether value `index` is a tensor with a place in planned memory; reads it. */
bool et_state_read(et_fb_vector values, uint32_t index,
                   et_tensor_record *out_record);

/* Gives the bytes of value `index`, whose record it is, their initial values: 0 where the
 * program says none. */
void et_state_set_initial(const et_method *method, uint32_t index,
                          const et_tensor_record *record);

/* State that methods share. A table, so that programs without are linked without: who
 * names a state names it as well (et_planned_buffer.sharing). */
struct et_sharing {
  /* et_build_state where a planned buffer has a state. */
  et_status (*build)(const et_builder *builder);
};

#endif /* ET_RUNTIME_METHOD_STATE_H_ */
