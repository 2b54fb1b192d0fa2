/* Verifies the structure of a flatbuffer against its schema. */
#ifndef ET_RUNTIME_PROGRAM_SCHEMA_VERIFY_H_
#define ET_RUNTIME_PROGRAM_SCHEMA_VERIFY_H_

#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/program/schema_types.h"

/* Verifies every table that is reachable from the table at `root`.
 *
 * Tables, vtables, vectors and strings must be in bounds. Strings must end with
 * a NUL. Unions must have a known tag and a value.
 *
 * INVALID_PROGRAM: the message has the path of the invalid element
 * ("execution_plan[0].values[3].val"). The time is linear in the buffer's size,
 * even if elements are shared by many owners. The stack depth is bounded by the
 * schema. */
et_status et_schema_verify(et_span buffer, const et_schema *schema,
                           uint32_t root, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_SCHEMA_VERIFY_H_ */
