/* executorch_prim::et_view in a run.
 *
 * The out of a view lies where its base lies. When that is memory that the
 * caller lends, or a constant, the out has no memory of its own: it gets address
 * and capacity of what was lent when the view runs, and is empty until then. A
 * jump over the view, which the check of the memory plan does not follow, can so
 * never lead to bytes that were not lent. */
#ifndef ET_RUNTIME_METHOD_VIEWS_H_
#define ET_RUNTIME_METHOD_VIEWS_H_

#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"

/* Empties the outs of views that have no memory of their own: before a run. */
void et_views_reset(const et_method *method);

/* Comes before instruction `index`. INVALID_PROGRAM when it reads the out of a
 * view that was not run; if it is itself a view, gives its out the base's
 * bytes. */
et_status et_views_enter(const et_method *method, uint32_t index,
                         et_error *error);

/* Comes after a run. INVALID_PROGRAM for an output whose view was not run. */
et_status et_views_check_outputs(const et_method *method, et_error *error);

#endif /* ET_RUNTIME_METHOD_VIEWS_H_ */
