/* What verify_program loads methods with. */
#ifndef ET_RUNTIME_VERIFY_REGISTRY_H_
#define ET_RUNTIME_VERIFY_REGISTRY_H_

#include "executorch/backend.h"

/* The kernels of this repository, each with its name and signature alone: the methods
 * are loaded, never run. Calls that no kernel accepts are found by the compiler. */
extern const et_kernel_table et_kernel_signatures;

/* Each variant of verify_program defines its own. */
extern const et_registry et_verify_registry;

#endif /* ET_RUNTIME_VERIFY_REGISTRY_H_ */
