/* The simulated run of the memory plan check; see plan_check.h. */
#ifndef ET_RUNTIME_METHOD_SIMULATION_H_
#define ET_RUNTIME_METHOD_SIMULATION_H_

#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/intervals.h"

/* Origin of a value's bytes: a bit set, or the value that it is a view of. */
enum {
  ORIGIN_UNKNOWN = 0, /* neither read nor written yet */
  ORIGIN_WRITTEN = 1, /* an input, or written by an instruction */
  /* From the previous run; with WRITTEN: an updated mutable buffer. */
  ORIGIN_STATE = 2,
  ORIGIN_UNFILLED = 4, /* rows that a loop will fill; see plan_check.h */
  /* After the loop's first row. */
  ORIGIN_FILLED = ORIGIN_UNFILLED | ORIGIN_WRITTEN,
  ORIGIN_UNVIEWED = 8, /* output of an et_view that did not run yet */
  ORIGIN_VIEW = 16,    /* multiplied by 1 + the index of the viewed value */
};

static inline uint32_t et_origin_in(uint32_t value) {
  /* No overflow: values are below ET_LIMIT_VALUES. */
  return (value + 1) * ORIGIN_VIEW;
}

typedef struct et_simulation {
  et_error *error;
  const et_builder *builder;
  const et_method *method;
  et_intervals map;
  uint32_t steps_left;
  uint32_t *origins; /* one for each value */
  uint32_t instruction;
} et_simulation;

static inline uint32_t et_simulation_index(const et_simulation *sim,
                                           const et_value *value) {
  return (uint32_t)(value - sim->method->values);
}

/* Simulates reading a tensor. An et_operand_fn with the simulation as its
 * context. */
et_status et_simulation_read(void *context, et_value *value);

/* Simulates instruction `index`. */
et_status et_simulation_follow(et_simulation *sim, uint32_t index);

#endif /* ET_RUNTIME_METHOD_SIMULATION_H_ */
