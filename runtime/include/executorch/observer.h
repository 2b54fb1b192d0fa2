/* Watching programs load and methods run: tracing, profiling, comparing. */
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
  ET_EVENT_KERNEL,   /* a kernel call; `name` is the operator's */
  ET_EVENT_DELEGATE, /* a delegate call; `name` is the backend's id */
  ET_EVENT_MOVE,
  ET_EVENT_JUMP,
  ET_EVENT_STEP, /* a part of a delegate call, reported by its backend */
  ET_EVENT_PROGRAM_LOAD, /* et_program_load_observed; `name` is the .pte's */
  ET_EVENT_METHOD_LOAD,  /* et_method_load; `name` is the method's */
} et_event_kind;

typedef struct et_event {
  et_event_kind kind;
  uint32_t index; /* of the instruction in the method; of an ET_EVENT_STEP, in
                     * its delegate; 0 of a load */
  const char
      *name; /* never NULL; lives as long as the method, that of a load for
                     * this call */
  /* Of an instruction: what it is called with, outs last and then what it returns,
   * as in kernel.h and backend.h; of a move source and destination. At `end` outs
   * have their results. None of other kinds. */
  et_value *const *args;
  size_t arg_count;
} et_event;

/* How the runtime tells of its own work: in objects that only naming it links. */
struct et_observation;
extern const struct et_observation et_observation;

/* Both functions are called on the thread that loads or executes, each `begin`
 * followed by the `end` of the same event; events of kind ET_EVENT_STEP lie
 * within one of kind ET_EVENT_DELEGATE. They read whatever clock they like. */
typedef struct et_observer {
  void *context;
  void (*begin)(void *context, const et_event *event);
  void (*end)(void *context, const et_event *event, et_status status);
  const struct et_observation *by; /* NULL: is told of backends' steps alone */
} et_observer;

/* Initializer of an observer that is told everything. A program that does not use it
 * has nothing of it. */
#define ET_OBSERVER(context, begin, end) \
  {(context), (begin), (end), &et_observation}

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_OBSERVER_H_ */
