/* What the runtime does with moves and jumps. A table, so that programs without any are
 * linked without: registries alone refer to it. */
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
  /* et_check_instruction of a move or jump. */
  et_status (*check)(const et_builder *builder, const et_walk *walk);
  /* Fills what a move or jump has besides its tag, at the arguments that are its own. */
  void (*fill)(const et_builder *builder, const et_walk *walk);
  /* Notes which instructions fill rows in a loop. */
  void (*mark)(const et_builder *builder);
  /* Of an instruction that fills rows: et_operand_fn for what it writes, before the check
   * of the memory plan, and for what it updates, when that comes to it. */
  et_status (*mark_rows)(void *context, et_value *value);
  et_status (*fill_row)(void *context, et_value *value);
  /* A backward jump has its loop followed a second time, to see what an iteration
   * reads of the one before. */
  et_status (*follow_again)(et_simulation *sim, uint32_t jump);
  /* et_run_instruction of a move or jump. */
  et_status (*run)(const et_method *method, uint32_t index, bool *condition,
                   et_error *error);
};

#endif /* ET_RUNTIME_METHOD_BRANCHING_H_ */
