/* An observer that stores events on the heap, for traces. */
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

/* One event. `end` is less than `begin` until the event ends. If an instruction
 * or op directly follows another, it begins at the other's end. */
typedef struct et_recorded_event {
  uint64_t begin; /* in ticks of the recorder's clock */
  uint64_t end;
  const char *name; /* name of an instruction or op; NULL for loads */
  uint32_t index;
  uint16_t kind;   /* et_event_kind */
  uint16_t status; /* et_status */
} et_recorded_event;

#define ET_RECORDER_DEPTH 8 /* maximum nesting of events */

/* The most recent event to end at a given nesting depth. */
typedef struct et_recorder_last {
  uint64_t end;
  uint32_t next; /* index of the event that would follow */
} et_recorder_last;

/* A recorder. Fields are read-only. */
typedef struct et_recorder {
  et_clock clock;
  et_recorded_event *events; /* ordered by begin time */
  size_t count;
  size_t capacity;
  size_t lost; /* events dropped because the heap was exhausted */
  size_t open[ET_RECORDER_DEPTH];
  size_t depth;
  et_recorder_last last[ET_RECORDER_DEPTH + 1];
} et_recorder;

/* Initializes an empty recorder. */
void et_recorder_init(et_recorder *recorder, et_clock clock);

/* Returns an observer that writes to `recorder`, which is borrowed. Not
 * thread-safe. */
et_observer et_recorder_observer(et_recorder *recorder);

/* Removes all events, but keeps their memory for reuse. */
void et_recorder_clear(et_recorder *recorder);

/* Frees the recorder's memory. */
void et_recorder_free(et_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_RECORDER_H_ */
