/* Dims, and the sizes of tensors that follow from them. */
#ifndef BACKENDS_CPU_RUNTIME_SIZES_H_
#define BACKENDS_CPU_RUNTIME_SIZES_H_

#include "backends/cpu/runtime/handle.h"
#include "executorch/value.h"

/* Sets all dims to their maxima, and `is_static`. */
void et_cpu_dims_to_maxima(et_cpu_handle *handle);

/* Computes all dims for a call; clears `is_current` when one changes, or is outside
 * 0..maximum: INVALID_ARGUMENT. The arguments are of the kinds that dims need. */
et_status et_cpu_dims_update(et_cpu_handle *handle, et_value **args,
                             et_error *error);

/* Sizes, elements and bytes of all tensors from the dims. DELEGATE_INCOMPATIBLE when
 * one has more than INT32_MAX elements, which none has that had not at the maxima. */
et_status et_cpu_tensors_update(et_cpu_handle *handle, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_SIZES_H_ */
