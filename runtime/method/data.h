/* Constants and payloads of a method, in place or read into its memory. */
#ifndef ET_RUNTIME_METHOD_DATA_H_
#define ET_RUNTIME_METHOD_DATA_H_

#include "executorch/method_layout.h"
#include "runtime/method/builder.h"
#include "runtime/program/reading.h"
#include "runtime/program/tensor_record.h"

/* Returns the size of data that is not in memory, including the list of its
 * ranges. */
et_status et_data_measure(const et_builder *builder, size_t *out_bytes);

/* Measures such data, places it in memory.data, or in options.data without
 * memory, and reads the data that is always needed. MEMORY_TOO_SMALL: that
 * buffer is too small. */
et_status et_data_build(et_builder *builder, size_t *out_bytes);

/* Returns the `nbytes` of a tensor's constant or initial state, or NULL without
 * one. */
const uint8_t *et_data_initial(const et_program *program, const et_data *data,
                               const et_tensor_record *record);

#endif /* ET_RUNTIME_METHOD_DATA_H_ */
