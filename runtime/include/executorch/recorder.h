/* An observer that keeps what it is told, on the heap: what traces are made of. */
#ifndef EXECUTORCH_RECORDER_H_
#define EXECUTORCH_RECORDER_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/observer.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_clock {
  uint64_t (*now)(void *context);
  void *context;
} et_clock;

/* CLOCK_MONOTONIC in nanoseconds. */
extern const et_clock et_monotonic_clock;

/* One event. `end` is below `begin` until it ended. What runs next, an instruction or
 * a step, begins where the one before it ended. */
typedef struct et_recorded_event {
  uint64_t begin; /* by the recorder's clock */
  uint64_t end;
  const char *name; /* of an instruction or a step; NULL of a load */
  uint32_t index;
  uint16_t kind;   /* et_event_kind */
  uint16_t status; /* et_status */
} et_recorded_event;

#define ET_RECORDER_DEPTH 8 /* events within events */

/* What ended last at some depth. */
typedef struct et_recorder_last {
  uint64_t end;
  uint32_t next; /* the index behind it */
} et_recorder_last;

/* The fields are for reading. */
typedef struct et_recorder {
  et_clock clock;
  et_recorded_event *events; /* in the order in which they began */
  size_t count;
  size_t capacity;
  size_t lost; /* events for which the heap had no room */
  size_t open[ET_RECORDER_DEPTH];
  size_t depth;
  et_recorder_last last[ET_RECORDER_DEPTH + 1];
} et_recorder;

/* Keeps nothing yet. */
void et_recorder_init(et_recorder *recorder, et_clock clock);

/* An observer that writes to `recorder`, which is borrowed. One thread at a time. */
et_observer et_recorder_observer(et_recorder *recorder);

/* Forgets the events, and keeps their memory for others. */
void et_recorder_clear(et_recorder *recorder);

/* Gives the memory back. */
void et_recorder_free(et_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_RECORDER_H_ */
