/* Which of an operator's kernels runs a call. */
#ifndef ET_RUNTIME_METHOD_CHOOSE_KERNEL_H_
#define ET_RUNTIME_METHOD_CHOOSE_KERNEL_H_

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

/* The first row, from `first` on, of the operator whose rules the tensors of the call
 * at `walk` fit. `first` is the operator's first row, and the call fits its signature.
 *
 * NULL, and INVALID_PROGRAM in the builder's error, when no row takes the call: names
 * instruction and operator, and the argument that the last row refuses. */
const et_kernel *et_choose_kernel(const et_builder *builder,
                                  const et_walk *walk, const et_kernel *first);

#endif /* ET_RUNTIME_METHOD_CHOOSE_KERNEL_H_ */
