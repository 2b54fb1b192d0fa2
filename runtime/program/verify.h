/* Verification of what the tables mean: indices, sizes, ranges, names. Comes
 * after the structure (schema_verify.h) and takes time linear in the tables, but
 * for segments and names that do not lie in order: those are sorted (order.h). */
#ifndef ET_RUNTIME_PROGRAM_VERIFY_H_
#define ET_RUNTIME_PROGRAM_VERIFY_H_

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tables.h"

/* Segments lie in the file and do not overlap; constants, mutable data and
 * named data refer to segments that exist, and lie in them. */
et_status et_verify_data(const et_program *program, et_error *error);

/* Two steps of it, which other files with segments and names share. */
et_status et_verify_segments(const et_segments *segments, et_error *error);
et_status et_verify_named_data(et_fb_vector named, const et_segments *segments,
                               et_error *error);

/* Methods: their number, names, and each plan. */
et_status et_verify_plans(const et_program *program, et_error *error);

/* One plan, being verified. */
typedef struct et_plan_check {
  const et_program *program;
  et_fb_table plan;
  et_fb_vector values;
  uint32_t value_count;
  et_error *error; /* for messages that say where in the plan; no failure yet */
} et_plan_check;

/* Lists refer to values of the kind they hold; tensors are consistent and have
 * their constants and planned bytes in bounds. */
et_status et_verify_values(const et_plan_check *check);

/* Operators and arguments of calls exist, jumps lead into their chain. */
et_status et_verify_chains(const et_plan_check *check);

/* That the texts in `field` of the tables are names: there, not over-long, without NUL.
 * `what` are the tables. */
et_status et_verify_names(et_fb_vector tables, uint16_t field, const char *what,
                          et_error *error);

/* That they differ as well. `called` is what they are. */
et_status et_verify_distinct(et_fb_vector tables, uint16_t field,
                             const char *what, const char *called,
                             et_error *error);

#endif /* ET_RUNTIME_PROGRAM_VERIFY_H_ */
