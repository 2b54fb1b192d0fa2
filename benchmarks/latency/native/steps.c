#include "benchmarks/latency/native/steps.h"

#include <stdio.h>

#include "benchmarks/latency/native/counter.h"

void bench_steps_init(bench_steps *steps, int counter) {
  steps->counter = counter;
  steps->count = 0;
}

static int is_step(const et_event *event) {
  return event->kind == ET_EVENT_STEP;
}

static void begin(void *context, const et_event *event) {
  bench_steps *steps = context;
  if (!is_step(event)) {
    steps->instruction = event->index;
  }
  steps->begun[is_step(event)] = bench_counter_cost(steps->counter);
}

static bench_step *add(bench_steps *steps, const et_event *event,
                       uint32_t step) {
  if (steps->count == BENCH_MAX_STEPS) {
    return NULL;
  }
  bench_step *item = &steps->items[steps->count++];
  item->instruction = steps->instruction;
  item->step = step;
  item->kind = event->kind;
  item->cost = 0;
  item->best = UINT64_MAX;
  snprintf(item->name, sizeof item->name, "%s", event->name);
  return item;
}

/* The entry of an event, made by the first run; NULL when there is no room. */
static bench_step *find(bench_steps *steps, const et_event *event) {
  const uint32_t step = is_step(event) ? event->index : 0;
  for (size_t i = 0; i < steps->count; i++) {
    bench_step *item = &steps->items[i];
    if (item->instruction == steps->instruction && item->step == step &&
        item->kind == event->kind) {
      return item;
    }
  }
  return add(steps, event, step);
}

static void end(void *context, const et_event *event, et_status status) {
  bench_steps *steps = context;
  const uint64_t now = bench_counter_cost(steps->counter);
  bench_step *item = find(steps, event);
  (void)status;
  if (item != NULL) {
    item->cost += now - steps->begun[is_step(event)];
  }
}

et_observer bench_steps_observer(bench_steps *steps) {
  const et_observer observer = {steps, begin, end};
  return observer;
}

void bench_steps_begin_run(bench_steps *steps) {
  for (size_t i = 0; i < steps->count; i++) {
    steps->items[i].cost = 0;
  }
}

void bench_steps_end_run(bench_steps *steps) {
  for (size_t i = 0; i < steps->count; i++) {
    bench_step *item = &steps->items[i];
    item->best = item->cost < item->best ? item->cost : item->best;
  }
}
