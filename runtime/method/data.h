/* Constants and payloads of a method: where they lie, or read into its memory. */
#ifndef ET_RUNTIME_METHOD_DATA_H_
#define ET_RUNTIME_METHOD_DATA_H_

#include "executorch/method_layout.h"
#include "runtime/method/builder.h"
#include "runtime/program/reading.h"
#include "runtime/program/tensor_record.h"

/* Measures what is not addressable, the list of it included. */
et_status et_data_measure(const et_builder *builder, size_t *out_bytes);

/* Measures it, lays it out in the `data` of the memory, or of the options while there is
 * none, and reads what is needed for sure. MEMORY_TOO_SMALL when that is. */
et_status et_data_build(et_builder *builder, size_t *out_bytes);

/* The `nbytes` that a tensor starts with, its constant or initial state; NULL when there are
 * none. */
const uint8_t *et_data_initial(const et_program *program, const et_data *data,
                               const et_tensor_record *record);

#endif /* ET_RUNTIME_METHOD_DATA_H_ */
