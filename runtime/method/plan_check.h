/* Checks that no instruction reads bytes that another value has overwritten.
 *
 * The check simulates the instructions once in program order, and each loop
 * body a second time at its end. It records which value wrote each planned byte
 * last. A tensor that is read must own its bytes, except for:
 *
 * - State: bytes not written in this run hold the value from the previous
 *   run (a mutable buffer). They must hold it again at the end. A tensor that
 *   an in-place operator overwrites is state too.
 * - Views of state: a tensor that no instruction writes may alias a state
 *   buffer, both before and after that buffer is written.
 * - Views: a tensor that no instruction writes may share the bytes of the one
 *   value that owns all of them, since exporters remove view operators.
 * - Rows: a tensor that only et_copy_index in a loop writes counts as
 *   completely filled by the loop, as in `map`. It need not own its bytes
 *   before the first row. In an outer loop, this holds again for each
 *   iteration.
 *
 * Both sides of a branch are simulated one after the other. The check therefore
 * detects plans that are wrong in program order, but not errors on every path.
 *
 * In addition, no instruction writes a constant; a written operand does not
 * overlap any other operand of the instruction; the output of an et_view belongs
 * to one view, is not written otherwise, and is read only after that view. */
#ifndef ET_RUNTIME_METHOD_PLAN_CHECK_H_
#define ET_RUNTIME_METHOD_PLAN_CHECK_H_

#include "executorch/status.h"
#include "runtime/method/builder.h"

/* Checks the built method, with the workspace regions. INVALID_PROGRAM: the
 * message has the instruction and both values. OUT_OF_RESOURCES: the simulation
 * exceeds ET_LIMIT_PLAN_STEPS. */
et_status et_plan_check_run(const et_builder *builder);

#endif /* ET_RUNTIME_METHOD_PLAN_CHECK_H_ */
