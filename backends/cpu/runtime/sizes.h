/* Computes dims, and from them the sizes of tensors. */
#ifndef BACKENDS_CPU_RUNTIME_SIZES_H_
#define BACKENDS_CPU_RUNTIME_SIZES_H_

#include "backends/cpu/runtime/handle.h"
#include "executorch/value.h"

/* Sets all dims to their maxima. Sets `is_static` if all dims are constants. */
void et_cpu_dims_to_maxima(et_cpu_handle *handle);

/* Computes all dims for a call. Clears `is_current` if one changes. Fails with INVALID_ARGUMENT if
 * a dim is outside 0..maximum. The arguments must have the kinds that the dims expect. */
et_status et_cpu_dims_update(et_cpu_handle *handle, et_value **args,
                             et_error *error);

/* Computes sizes, elements and bytes of all tensors from the dims. Fails with DELEGATE_INCOMPATIBLE
 * if a tensor has more than INT32_MAX elements. If it succeeds at the maxima, it cannot fail in a
 * call. */
et_status et_cpu_tensors_update(et_cpu_handle *handle, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_SIZES_H_ */
