/* The run that the check of the memory plan follows: see plan_check.h. */
#ifndef ET_RUNTIME_METHOD_SIMULATION_H_
#define ET_RUNTIME_METHOD_SIMULATION_H_

#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/intervals.h"

/* What is known of where a value's bytes come from: bits, or that it is a view of another
 * value. */
enum {
  ORIGIN_UNKNOWN = 0,  /* not read yet, and written by nothing */
  ORIGIN_WRITTEN = 1,  /* an input, or written by an instruction */
  ORIGIN_STATE = 2,    /* the run before; a mutable buffer is written as well */
  ORIGIN_UNFILLED = 4, /* rows that a loop is to fill: see plan_check.h */
  ORIGIN_FILLED = ORIGIN_UNFILLED | ORIGIN_WRITTEN, /* once it does */
  ORIGIN_UNVIEWED = 8, /* the out of an et_view that has not been followed */
  ORIGIN_VIEW =
      16, /* times one more than the index of the value it is one of */
};

static inline uint32_t et_origin_in(uint32_t value) {
  return (value + 1) * ORIGIN_VIEW; /* values are below ET_LIMIT_VALUES */
}

typedef struct et_simulation {
  et_error *error;
  const et_builder *builder;
  const et_method *method;
  et_intervals map;
  uint32_t steps_left;
  uint32_t *origins; /* of each value */
  uint32_t instruction;
} et_simulation;

static inline uint32_t et_simulation_index(const et_simulation *sim,
                                           const et_value *value) {
  return (uint32_t)(value - sim->method->values);
}

/* An instruction reads a tensor: an et_operand_fn whose context is the simulation. */
et_status et_simulation_read(void *context, et_value *value);

/* Follows instruction `index`. */
et_status et_simulation_follow(et_simulation *sim, uint32_t index);

#endif /* ET_RUNTIME_METHOD_SIMULATION_H_ */
