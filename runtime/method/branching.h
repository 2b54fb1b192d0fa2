/* Move and jump instructions.
 *
 * The operations are in a table that only registries refer to, so programs
 * without branches do not link them. */
#ifndef ET_RUNTIME_METHOD_BRANCHING_H_
#define ET_RUNTIME_METHOD_BRANCHING_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/simulation.h"
#include "runtime/method/walk.h"

struct et_branching {
  /* et_check_instruction for a move or jump. */
  et_status (*check)(const et_builder *builder, const et_walk *walk);
  /* Fills the fields of a move or jump, except its tag. */
  void (*fill)(const et_builder *builder, const et_walk *walk);
  /* Marks the instructions that fill rows in a loop. */
  void (*mark)(const et_builder *builder);
  /* Operand callbacks (et_operand_fn) for instructions that fill rows.
   * mark_rows is for the operands that are written, before the memory plan
   * check. fill_row is for the updated operands, when the check reaches the
   * instruction. */
  et_status (*mark_rows)(void *context, et_value *value);
  et_status (*fill_row)(void *context, et_value *value);
  /* Checks the body of a loop again at its backward jump, to include reads of
   * the previous iteration's values. */
  et_status (*follow_again)(et_simulation *sim, uint32_t jump);
  /* et_run_instruction for a move or jump. */
  et_status (*run)(const et_method *method, uint32_t index, bool *condition,
                   et_error *error);
};

#endif /* ET_RUNTIME_METHOD_BRANCHING_H_ */
