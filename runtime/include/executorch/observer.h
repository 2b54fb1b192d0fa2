/* Watching a method run: tracing and profiling. */
#ifndef EXECUTORCH_OBSERVER_H_
#define EXECUTORCH_OBSERVER_H_

#include <stdint.h>

#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum et_event_kind {
  ET_EVENT_KERNEL,   /* a kernel call; `name` is the operator's */
  ET_EVENT_DELEGATE, /* a delegate call; `name` is the backend's id */
  ET_EVENT_MOVE,
  ET_EVENT_JUMP,
  ET_EVENT_STEP, /* a part of a delegate call, reported by its backend */
} et_event_kind;

typedef struct et_event {
  et_event_kind kind;
  uint32_t index;   /* of the instruction in the method; of an ET_EVENT_STEP, in
                     * its delegate */
  const char *name; /* never NULL; valid for this call */
} et_event;

/* Both functions are called on the thread that executes the method, each `begin`
 * followed by the `end` of the same event; events of kind ET_EVENT_STEP lie
 * within one of kind ET_EVENT_DELEGATE. */
typedef struct et_observer {
  void *context;
  void (*begin)(void *context, const et_event *event);
  void (*end)(void *context, const et_event *event, et_status status);
} et_observer;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_OBSERVER_H_ */
