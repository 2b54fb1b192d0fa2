/* Events of loading and running, for tracing, profiling and comparisons. */
#ifndef EXECUTORCH_OBSERVER_H_
#define EXECUTORCH_OBSERVER_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/status.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum et_event_kind {
  ET_EVENT_KERNEL,   /* `name` is the operator */
  ET_EVENT_DELEGATE, /* `name` is the backend's id */
  ET_EVENT_MOVE,
  ET_EVENT_JUMP,
  ET_EVENT_STEP,         /* an op of a delegate, reported by its backend */
  ET_EVENT_PROGRAM_LOAD, /* et_program_load_observed; `name` is the .pte's */
  ET_EVENT_METHOD_LOAD,  /* et_method_load; `name` is the method's */
} et_event_kind;

typedef struct et_event {
  et_event_kind kind;
  /* Instruction in the method, or op in the delegate; 0 for loads. */
  uint32_t index;
  /* Not NULL; valid while the method exists, or during this call for loads. */
  const char *name;
  /* Arguments of an instruction, in the order of kernel.h and backend.h; source
   * and destination of a move. At `end`, the outputs have their results. Events of
   * other kinds have no arguments. */
  et_value *const *args;
  size_t arg_count;
} et_event;

/* Support for the runtime's own events. Linked only if a program refers to
 * it. */
struct et_observation;
extern const struct et_observation et_observation;

/* Receives events.
 *
 * Both functions run on the thread that loads or executes. Each `begin` is
 * followed by the `end` of the same event. ET_EVENT_STEP events are nested in
 * an ET_EVENT_DELEGATE event. The functions read their own clock. */
typedef struct et_observer {
  void *context;
  void (*begin)(void *context, const et_event *event);
  void (*end)(void *context, const et_event *event, et_status status);
  /* NULL: only ops of delegates are reported */
  const struct et_observation *by;
} et_observer;

/* Initializer of an observer that receives all events. The support code is
 * linked only if a program uses this macro. */
#define ET_OBSERVER(context, begin, end) \
  {(context), (begin), (end), &et_observation}

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_OBSERVER_H_ */
