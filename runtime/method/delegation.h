/* Delegate calls.
 *
 * The operations are in a table that only registries refer to, so programs
 * without backends do not link them. */
#ifndef ET_RUNTIME_METHOD_DELEGATION_H_
#define ET_RUNTIME_METHOD_DELEGATION_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"

struct et_delegation {
  /* Returns true if the registry has the backend of delegate `index` of the
   * plan. */
  bool (*is_linked)(const et_builder *builder, uint32_t index);
  /* Measures all delegates, and records the results in the regions if they
   * exist. `out` receives the largest scratch size and the sum of shared
   * sizes. */
  et_status (*measure)(et_builder *builder, et_method_requirements *out);
  /* Records the delegate of an instruction and its written arguments: the
   * outputs are last, preceded by the updated arguments. INVALID_PROGRAM: there
   * are fewer arguments, or one of them is not a tensor. */
  et_status (*fill)(const et_builder *builder, const et_walk *walk);
  /* Builds all handles in the arena. If one fails, the others are destroyed. */
  et_status (*build)(et_builder *builder);
  /* Destroys all handles. */
  void (*destroy)(const et_method *method);
  /* Runs instruction `index`, which is a delegate call. */
  et_status (*run)(const et_method *method, uint32_t index, et_error *error);
};

/* Destroys the handles of a method that may have no delegates. */
static inline void et_destroy_delegates(const et_method *method) {
  if (method->delegation != NULL) {
    method->delegation->destroy(method);
  }
}

#endif /* ET_RUNTIME_METHOD_DELEGATION_H_ */
