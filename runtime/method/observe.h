/* Reports events to an observer. Linked only if an observer needs it. */
#ifndef ET_RUNTIME_METHOD_OBSERVE_H_
#define ET_RUNTIME_METHOD_OBSERVE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method.h"
#include "executorch/observer.h"

struct et_observation {
  /* et_run_instruction, reported to the observer. */
  et_status (*run)(const et_method *method, uint32_t index, bool *condition,
                   et_error *error);
  /* Reports the start of loading a method (`ended` is NULL), or its end and
   * status. */
  void (*load)(const et_observer *observer, const char *name,
               const et_status *ended);
};

/* Runs one instruction. Sets *condition to false if it jumps. */
et_status et_run_instruction(const et_method *method, uint32_t index,
                             bool *condition, et_error *error);

#endif /* ET_RUNTIME_METHOD_OBSERVE_H_ */
