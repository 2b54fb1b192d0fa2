/* The registry that verify_program uses to load methods. */
#ifndef ET_RUNTIME_VERIFY_REGISTRY_H_
#define ET_RUNTIME_VERIFY_REGISTRY_H_

#include "executorch/backend.h"

/* The names and signatures of all kernels in this repository. Methods are
 * loaded but not run. Calls that no kernel accepts are detected by the
 * compiler. */
extern const et_kernel_table et_kernel_signatures;

/* Defined by each variant of verify_program. */
extern const et_registry et_verify_registry;

#endif /* ET_RUNTIME_VERIFY_REGISTRY_H_ */
