/* Checks of single calls in a built method, before their order is looked at. */
#ifndef ET_RUNTIME_METHOD_CALL_CHECK_H_
#define ET_RUNTIME_METHOD_CALL_CHECK_H_

#include "executorch/status.h"
#include "runtime/method/builder.h"

/* Checks that nothing writes a constant, and that what a call writes is written once
 * and shares no byte with its other operands. INVALID_PROGRAM names instruction and
 * values. */
et_status et_call_check_run(const et_builder *builder);

#endif /* ET_RUNTIME_METHOD_CALL_CHECK_H_ */
