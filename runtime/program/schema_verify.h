/* Structural verification of a flatbuffer against the schema. */
#ifndef ET_RUNTIME_PROGRAM_SCHEMA_VERIFY_H_
#define ET_RUNTIME_PROGRAM_SCHEMA_VERIFY_H_

#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/program/schema_types.h"

/* Walks every table that the table at `root` reaches and checks that
 * tables, vtables, vectors and strings lie in the buffer, strings end with NUL,
 * and unions carry a known tag and a value.
 *
 * INVALID_PROGRAM names the path of the fault
 * ("execution_plan[0].values[3].val"). Time is linear in the buffer's size even
 * where parts are shared between many owners; the stack is bounded by the
 * schema's depth. */
et_status et_schema_verify(et_span buffer, const et_schema *schema,
                           uint32_t root, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_SCHEMA_VERIFY_H_ */
