/* Selects the kernel row for a call. */
#ifndef ET_RUNTIME_METHOD_CHOOSE_KERNEL_H_
#define ET_RUNTIME_METHOD_CHOOSE_KERNEL_H_

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

/* Returns the operator's first row whose rules match the tensors of the call at
 * `walk`.
 *
 * `first` is the operator's first row. The call matches its signature. Returns
 * NULL with INVALID_PROGRAM if no row matches; the message has the instruction,
 * the operator and the argument that the last row rejects. */
const et_kernel *et_choose_kernel(const et_builder *builder,
                                  const et_walk *walk, const et_kernel *first);

#endif /* ET_RUNTIME_METHOD_CHOOSE_KERNEL_H_ */
