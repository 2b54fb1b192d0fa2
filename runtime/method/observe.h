/* What lies between the runtime and an observer, for it to be linked or not. */
#ifndef ET_RUNTIME_METHOD_OBSERVE_H_
#define ET_RUNTIME_METHOD_OBSERVE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method.h"
#include "executorch/observer.h"

struct et_observation {
  /* et_run_instruction, with the observer told of it. */
  et_status (*run)(const et_method *method, uint32_t index, bool *condition,
                   et_error *error);
  /* Tells that a method is loaded from now on, or with which status that ended. */
  void (*load)(const et_observer *observer, const char *name,
               const et_status *ended);
};

/* Runs one instruction; *condition is false when it jumps. */
et_status et_run_instruction(const et_method *method, uint32_t index,
                             bool *condition, et_error *error);

#endif /* ET_RUNTIME_METHOD_OBSERVE_H_ */
