/* Verifies the meaning of the tables: indices, sizes, ranges and names.
 *
 * Runs after the structure is verified (et_schema_verify). Takes time linear in
 * the tables, except that unsorted segments and names are sorted first
 * (et_order_walk). */
#ifndef ET_RUNTIME_PROGRAM_VERIFY_H_
#define ET_RUNTIME_PROGRAM_VERIFY_H_

#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tables.h"

/* Checks segments and references to them: segments are in bounds and do not
 * overlap; constants, mutable data and named data are within existing
 * segments. */
et_status et_verify_data(const et_program *program, et_error *error);

/* Two parts of et_verify_data, also used for .ptd files. */
et_status et_verify_segments(const et_segments *segments, et_error *error);
et_status et_verify_named_data(et_fb_vector named, const et_segments *segments,
                               et_error *error);

/* Verifies the methods: their number, their names, and each plan. */
et_status et_verify_plans(const et_program *program, et_error *error);

/* The plan that is being verified. */
typedef struct et_plan_check {
  const et_program *program;
  et_fb_table plan;
  et_fb_vector values;
  uint32_t value_count;
  /* An empty error, for messages that name the element of the plan. */
  et_error *error;
} et_plan_check;

/* Checks values: list items have the list's kind; tensors are consistent, and
 * their constants and planned bytes are in bounds. */
et_status et_verify_values(const et_plan_check *check);

/* Checks instructions: operators and arguments exist, and jumps stay in their
 * chain. */
et_status et_verify_chains(const et_plan_check *check);

/* Checks that the names in `field` of the tables are present, within the length
 * limit and without NUL. `what` names the tables in messages. */
et_status et_verify_names(et_fb_vector tables, uint16_t field, const char *what,
                          et_error *error);

/* Checks the names, and that they are distinct. `called` names them in
 * messages. */
et_status et_verify_distinct(et_fb_vector tables, uint16_t field,
                             const char *what, const char *called,
                             et_error *error);

/* `compare` returns a value below, equal to or above 0 if element `a` sorts
 * before, with or after `b`. `visit` receives each element; a status other than
 * OK stops the walk. `name` is the elements' name in messages. */
typedef struct et_order {
  const char *name;
  int (*compare)(void *context, uint32_t a, uint32_t b);
  et_status (*visit)(void *context, uint32_t index, et_error *error);
  void *context;
} et_order;

/* Visits elements 0 to count - 1 in sorted order; equal elements are ordered by
 * index.
 *
 * Elements that are already sorted, as written by exporters, take linear time.
 * Others are sorted first. INVALID_PROGRAM: more than ET_LIMIT_UNSORTED
 * elements are not sorted. */
et_status et_order_walk(const et_order *order, uint32_t count, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_VERIFY_H_ */
