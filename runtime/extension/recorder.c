#define _POSIX_C_SOURCE 200809L
#include "executorch/recorder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define FIRST_CAPACITY 1024
#define NOTHING UINT32_MAX /* not a valid index of a following event */

static uint64_t monotonic(void *context) {
  struct timespec now;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const et_clock et_monotonic_clock = {monotonic, NULL};

static bool has_room(et_recorder *recorder) {
  if (recorder->count < recorder->capacity) {
    return true;
  }
  const size_t capacity =
      recorder->capacity > 0 ? 2 * recorder->capacity : FIRST_CAPACITY;
  void *grown = realloc(recorder->events, capacity * sizeof *recorder->events);
  if (grown == NULL) {
    return false;
  }
  recorder->events = grown;
  recorder->capacity = capacity;
  return true;
}

static bool is_load(const et_event *event) {
  return event->kind == ET_EVENT_PROGRAM_LOAD ||
         event->kind == ET_EVENT_METHOD_LOAD;
}

/* Returns the time at which an event begins. An instruction or op that follows
 * another begins when the other ends, which saves a clock read. */
static uint64_t begin_of(const et_recorder *recorder, const et_event *event,
                         size_t depth) {
  const et_recorder_last *last = &recorder->last[depth];
  return event->index == last->next
             ? last->end
             : recorder->clock.now(recorder->clock.context);
}

static void begin(void *context, const et_event *event) {
  et_recorder *recorder = context;
  const size_t depth = recorder->depth++;
  if (depth >= ET_RECORDER_DEPTH) {
    recorder->lost++;
    return;
  }
  recorder->last[depth + 1].next = NOTHING;
  recorder->open[depth] = SIZE_MAX;
  if (!has_room(recorder)) {
    recorder->lost++;
    return;
  }
  et_recorded_event *recorded = &recorder->events[recorder->count];
  recorder->open[depth] = recorder->count++;
  recorded->name = is_load(event) ? NULL : event->name;
  recorded->index = event->index;
  recorded->kind = (uint16_t)event->kind;
  recorded->end = 0;
  recorded->begin = begin_of(recorder, event, depth);
}

static void end(void *context, const et_event *event, et_status status) {
  et_recorder *recorder = context;
  const uint64_t now = recorder->clock.now(recorder->clock.context);
  const size_t depth = --recorder->depth;
  if (depth < ET_RECORDER_DEPTH && recorder->open[depth] != SIZE_MAX) {
    et_recorded_event *recorded = &recorder->events[recorder->open[depth]];
    recorded->end = now;
    recorded->status = (uint16_t)status;
    recorder->last[depth].end = now;
    recorder->last[depth].next = is_load(event) ? NOTHING : event->index + 1;
  }
}

static void forget_last(et_recorder *recorder) {
  for (size_t i = 0; i <= ET_RECORDER_DEPTH; i++) {
    recorder->last[i].next = NOTHING;
  }
}

void et_recorder_init(et_recorder *recorder, et_clock clock) {
  const et_recorder none = {.clock = clock};
  *recorder = none;
  forget_last(recorder);
}

et_observer et_recorder_observer(et_recorder *recorder) {
  const et_observer observer = ET_OBSERVER(recorder, begin, end);
  return observer;
}

void et_recorder_clear(et_recorder *recorder) {
  recorder->count = 0;
  recorder->lost = 0;
  forget_last(recorder);
}

void et_recorder_free(et_recorder *recorder) {
  const et_clock clock = recorder->clock;
  free(recorder->events);
  et_recorder_init(recorder, clock);
}
