/* The check that no instruction reads bytes which another value has overwritten.
 *
 * The instructions are followed once, in the order they stand, the body of a loop
 * once more at its end, and for all planned bytes it is noted which value wrote
 * them last. A tensor that is read must own its bytes, with these exceptions:
 *
 *   - state: bytes that nothing has written in this run still hold what the run
 *     before left there (a mutable buffer). They must hold it again at the end. A
 *     tensor that an in-place operator writes is state too.
 *   - views of state: a tensor that no instruction writes may read the bytes of a
 *     state before and after that state is written.
 *   - views: a tensor that no instruction writes may lie in the bytes of the one
 *     value that owns them all, since a compiler leaves view operations out.
 *   - rows: a tensor that nothing writes but et_copy_index in a loop is taken to be
 *     filled by it, as `map` does, so that its bytes need not be its own before the
 *     first row; in a loop around that one, again before each first row.
 *
 * Of a branch both sides are followed, one after the other; so this finds a plan
 * that is wrong for the straight order of instructions, not for each path.
 *
 * Also: nothing writes a constant, what an instruction writes shares no byte with
 * anything else it reads or writes, and the out of an et_view has one view, is
 * written by nothing else and is read behind the view only. */
#ifndef ET_RUNTIME_METHOD_PLAN_CHECK_H_
#define ET_RUNTIME_METHOD_PLAN_CHECK_H_

#include "executorch/status.h"
#include "runtime/method/builder.h"

/* Checks the built method, in the regions that are for it. INVALID_PROGRAM names the
 * instruction and both values; OUT_OF_RESOURCES when following the plan takes more than
 * ET_LIMIT_PLAN_STEPS. */
et_status et_plan_check_run(const et_builder *builder);

#endif /* ET_RUNTIME_METHOD_PLAN_CHECK_H_ */
