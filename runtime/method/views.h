/* executorch_prim::et_view in a run.
 *
 * The out of a view lies where its base lies. When that is memory that the
 * caller lends, or a constant, the out has no memory of its own: it gets address
 * and capacity of what was lent when the view runs, and is empty until then. A
 * jump over the view, which the check of the memory plan does not follow, can so
 * never lead to bytes that were not lent.
 *
 * A table, so that programs without views are linked without: registries alone refer to
 * it. */
#ifndef ET_RUNTIME_METHOD_VIEWS_H_
#define ET_RUNTIME_METHOD_VIEWS_H_

#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/simulation.h"

struct et_views {
  /* Notes which views have an out without memory, before the caller's tensors get an
   * address for now. */
  void (*mark)(const et_builder *builder);
  /* Lays those on their base, and checks that all others lie there. */
  et_status (*bind)(const et_builder *builder);
  /* The check of the memory plan begins: an out gets its bytes from one view and from
   * nothing else. */
  et_status (*start)(et_simulation *sim);
  /* It comes to a view. */
  et_status (*see)(et_simulation *sim, const et_instruction *view);
  /* Empties the outs of views that have no memory of their own: before a run. */
  void (*reset)(const et_method *method);
  /* Comes before instruction `index`. INVALID_PROGRAM when it reads the out of a view
   * that was not run; if it is itself a view, gives its out the base's bytes. */
  et_status (*enter)(const et_method *method, uint32_t index, et_error *error);
  /* Comes after a run. INVALID_PROGRAM for an output whose view was not run. */
  et_status (*check_outputs)(const et_method *method, et_error *error);
};

#endif /* ET_RUNTIME_METHOD_VIEWS_H_ */
