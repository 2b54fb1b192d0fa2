/* Checks each call of a built method, independent of the order of calls. */
#ifndef ET_RUNTIME_METHOD_CALL_CHECK_H_
#define ET_RUNTIME_METHOD_CALL_CHECK_H_

#include "executorch/status.h"
#include "runtime/method/builder.h"

/* Checks that no call writes a constant, and that each written operand is
 * written once and does not overlap the other operands. INVALID_PROGRAM: the
 * message has the instruction and the values. */
et_status et_call_check_run(const et_builder *builder);

#endif /* ET_RUNTIME_METHOD_CALL_CHECK_H_ */
