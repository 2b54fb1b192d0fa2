/* How calls of kernels with a `prepare` are prepared. A table, so that programs without
 * any are linked without: registries alone refer to it. */
#ifndef ET_RUNTIME_METHOD_PREPARATION_H_
#define ET_RUNTIME_METHOD_PREPARATION_H_

#include <stddef.h>

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

struct et_preparation {
  /* Prepares the call that `walk` stands on, its state in the arena, or measures it.
   * Sets *out_scratch to what it needs of scratch. */
  et_status (*prepare)(et_builder *builder, const et_walk *walk,
                       const et_kernel *kernel, size_t *out_scratch);
};

#endif /* ET_RUNTIME_METHOD_PREPARATION_H_ */
