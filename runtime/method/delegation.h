/* What the runtime does with delegates. A table, so that programs without backends are
 * linked without: registries alone refer to it. */
#ifndef ET_RUNTIME_METHOD_DELEGATION_H_
#define ET_RUNTIME_METHOD_DELEGATION_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"

struct et_delegation {
  /* Whether the registry has the backend of delegate `index` of the plan. */
  bool (*is_linked)(const et_builder *builder, uint32_t index);
  /* Asks the backends what the delegates need, and notes it in the regions when
   * there are any: `out` gets the largest scratch and the sum of what is shared. */
  et_status (*measure)(et_builder *builder, et_method_requirements *out);
  /* Notes which delegate an instruction calls and what that writes: its last arguments are the delegate's outputs,
   * those before are what it updates. INVALID_PROGRAM when it has fewer, or one
   * that is no tensor. */
  et_status (*fill)(const et_builder *builder, const et_walk *walk);
  /* Has the backends build their handles in the arena; undone when one fails. */
  et_status (*build)(et_builder *builder);
  /* Has the backends give back what they hold. */
  void (*destroy)(const et_method *method);
  /* Runs instruction `index`, a call of one. */
  et_status (*run)(const et_method *method, uint32_t index, et_error *error);
};

/* destroy, of a method that perhaps has none. */
static inline void et_destroy_delegates(const et_method *method) {
  if (method->delegation != NULL) {
    method->delegation->destroy(method);
  }
}

#endif /* ET_RUNTIME_METHOD_DELEGATION_H_ */
