/* Checks of single calls in a built method, before their order is looked at. */
#ifndef ET_RUNTIME_METHOD_CALL_CHECK_H_
#define ET_RUNTIME_METHOD_CALL_CHECK_H_

#include <stdint.h>

#include "executorch/status.h"
#include "runtime/method/builder.h"

/* Finds how many of its last arguments each delegate call writes: a file does
 * not say it. Those are the ones that nothing before has mentioned and that are
 * neither input nor state. Then checks that nothing writes a constant, and that
 * what a call writes is written once and shares no byte with its other
 * operands.
 *
 * `work` has room for an entry a value. INVALID_PROGRAM names instruction and
 * values. */
et_status et_call_check_run(const et_builder *builder, int32_t *work);

#endif /* ET_RUNTIME_METHOD_CALL_CHECK_H_ */
