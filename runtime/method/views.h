/* Runs executorch_prim::et_view.
 *
 * The out of a view has the same address as its base. If the base is a constant
 * or caller-provided memory, the out has no memory of its own. It is empty
 * until the view runs, and then gets the base's address and capacity. If a jump
 * skips the view, which the memory plan check does not simulate, the out never
 * refers to an invalid address.
 *
 * The operations are in a table that only registries refer to, so programs
 * without views do not link them. */
#ifndef ET_RUNTIME_METHOD_VIEWS_H_
#define ET_RUNTIME_METHOD_VIEWS_H_

#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/simulation.h"

struct et_views {
  /* Marks views whose outs have no memory. Runs before caller-provided tensors
   * get a temporary address. */
  void (*mark)(const et_builder *builder);
  /* Binds those outs to their bases, and checks that all other outs share their
   * base's address. */
  et_status (*bind)(const et_builder *builder);
  /* Starts the memory plan check: an out is written only by one view. */
  et_status (*start)(et_simulation *sim);
  /* Simulates a view in the memory plan check. */
  et_status (*see)(et_simulation *sim, const et_instruction *view);
  /* Empties the outs without memory of their own, before a run. */
  void (*reset)(const et_method *method);
  /* Called before instruction `index`. INVALID_PROGRAM: it reads the out of a
   * view that did not run. If it is a view, its out gets the base's address. */
  et_status (*enter)(const et_method *method, uint32_t index, et_error *error);
  /* Called after a run. INVALID_PROGRAM: the view of an output did not run. */
  et_status (*check_outputs)(const et_method *method, et_error *error);
};

#endif /* ET_RUNTIME_METHOD_VIEWS_H_ */
