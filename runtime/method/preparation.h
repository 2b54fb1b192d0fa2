/* Prepares calls of kernels that have a `prepare`.
 *
 * The operation is in a table that only registries refer to, so programs
 * without such kernels do not link it. */
#ifndef ET_RUNTIME_METHOD_PREPARATION_H_
#define ET_RUNTIME_METHOD_PREPARATION_H_

#include <stddef.h>

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

struct et_preparation {
  /* Prepares the call at `walk`, with its state in the arena, or measures it.
   * Sets *out_scratch to its scratch size. */
  et_status (*prepare)(et_builder *builder, const et_walk *walk,
                       const et_kernel *kernel, size_t *out_scratch);
};

#endif /* ET_RUNTIME_METHOD_PREPARATION_H_ */
