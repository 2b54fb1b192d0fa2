/* The optional parts of a method.
 *
 * The operations of each part are in a table that only registries or observers
 * refer to. A program links a part only if it refers to the part's table. */
#ifndef ET_RUNTIME_METHOD_OPTIONAL_PARTS_H_
#define ET_RUNTIME_METHOD_OPTIONAL_PARTS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/method.h"
#include "executorch/method_layout.h"
#include "executorch/observer.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/simulation.h"
#include "runtime/method/walk.h"

/* Delegate calls. */
struct et_delegation {
  /* Returns true if the registry has the backend of delegate `index` of the
   * plan. */
  bool (*is_linked)(const et_builder *builder, uint32_t index);
  /* Measures all delegates, and records the results in the regions if they
   * exist. `out` receives the largest scratch size and the sum of shared
   * sizes. */
  et_status (*measure)(et_builder *builder, et_method_requirements *out);
  /* Records the delegate of an instruction and its written arguments: the
   * outputs are last, preceded by the updated arguments. INVALID_PROGRAM: there
   * are fewer arguments, or one of them is not a tensor. */
  et_status (*fill)(const et_builder *builder, const et_walk *walk);
  /* Builds all handles in the arena. If one fails, the handles built so far are
   * destroyed. */
  et_status (*build)(et_builder *builder);
  /* Destroys all handles. */
  void (*destroy)(const et_method *method);
  /* Runs instruction `index`, which is a delegate call. */
  et_status (*run)(const et_method *method, uint32_t index, et_error *error);
};

/* Destroys the handles of a method that may have no delegates. */
static inline void et_destroy_delegates(const et_method *method) {
  if (method->delegation != NULL) {
    method->delegation->destroy(method);
  }
}

/* Prepares calls of kernels that have a `prepare`. */
struct et_preparation {
  /* Prepares the call at `walk`, with its state in the arena, or measures it.
   * Sets *out_scratch to its scratch size. */
  et_status (*prepare)(et_builder *builder, const et_walk *walk,
                       const et_kernel *kernel, size_t *out_scratch);
};

/* Move and jump instructions. */
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

/* Runs executorch_prim::et_view.
 *
 * The output of a view has the same address as its base. If the base is a
 * constant or caller-provided memory, the output has no memory of its own. It is empty
 * until the view runs, and then gets the base's address and capacity. The
 * memory plan check does not simulate jumps that skip a view. Even then, the
 * output never refers to an invalid address. */
struct et_views {
  /* Marks views whose outputs have no memory. Runs before caller-provided tensors
   * get a temporary address. */
  void (*mark)(const et_builder *builder);
  /* Binds those outputs to their bases, and checks that all other outputs share
   * their base's address. */
  et_status (*bind)(const et_builder *builder);
  /* Starts the memory plan check: only one view writes an output. */
  et_status (*start)(et_simulation *sim);
  /* Simulates a view in the memory plan check. */
  et_status (*simulate)(et_simulation *sim, const et_instruction *view);
  /* Empties the outputs without memory of their own, before a run. */
  void (*reset)(const et_method *method);
  /* Called before instruction `index`. INVALID_PROGRAM: the instruction reads the
   * output of a view that did not run. If it is a view, its output gets the
   * base's address. */
  et_status (*enter)(const et_method *method, uint32_t index, et_error *error);
  /* Called after a run. INVALID_PROGRAM: the view of an output did not run. */
  et_status (*check_outputs)(const et_method *method, et_error *error);
};

/* Ranges of sizes and int inputs.
 *
 * A program lists them in ContainerMetadata.ranges (schema/program.fbs).
 * Programs of other exporters have no list; their sizes are checked against
 * upper bounds only. et_ranges_and_conditions also checks
 * ContainerMetadata.conditions, and et_ranges rejects programs that have them. */
struct et_ranges {
  /* Checks the list against the plan's values. INVALID_PROGRAM for a bad entry. */
  et_status (*check)(const et_builder *builder);
  /* Enables the list if the method has one. Its ints are still unset. */
  void (*bind)(const et_builder *builder);
  /* Checks the sizes of tensor input `index`; `sizes` has as many entries as
   * the input has dimensions. INVALID_ARGUMENT: a fixed size differs.
   * NOT_SUPPORTED: a size is out of range. */
  et_status (*check_sizes)(const et_method *method, size_t index,
                           const int32_t *sizes, et_error *error);
  /* Sets *out_is_ranged to true if input `index` is an int with a range; then
   * checks and stores `value`. */
  et_status (*set_integer)(const et_method *method, size_t index,
                           const et_value *value, bool *out_is_ranged,
                           et_error *error);
  /* Checks, before a run, that inputs with a common Dim agree. INVALID_ARGUMENT:
   * they do not. NOT_SUPPORTED: a condition is false. */
  et_status (*check_inputs)(const et_method *method, et_error *error);
  /* Marks ints as unset, because a failed run leaves them unspecified. */
  void (*forget)(const et_method *method);
};

/* Reports events to an observer. Linked only if an observer needs it. */
struct et_observation {
  /* et_run_instruction, reported to the observer. */
  et_status (*run)(const et_method *method, uint32_t index, bool *condition,
                   et_error *error);
  /* Reports the start of loading a method (`ended` is NULL), or its end and
   * status. */
  void (*load)(const et_observer *observer, const char *name,
               const et_status *ended);
};

/* Runs one instruction. Sets *condition to false if it jumps. */
et_status et_run_instruction(const et_method *method, uint32_t index,
                             bool *condition, et_error *error);

#endif /* ET_RUNTIME_METHOD_OPTIONAL_PARTS_H_ */
