/* Functions of the runtime that _native.py calls. The table keeps them in the
 * library even if no other code in it calls them. */
#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/recorder.h"
#include "executorch/scalar_type.h"
#include "executorch/status.h"
#include "executorch/value.h"

typedef void (*any_call)(void);

extern const any_call et_python_calls[];
const any_call et_python_calls[] = {
    (any_call)et_status_name,
    (any_call)et_status_text,
    (any_call)et_value_tag_name,
    (any_call)et_scalar_type_name,
    (any_call)et_program_method_count,
    (any_call)et_program_method_name,
    (any_call)et_program_method_meta,
    (any_call)et_method_meta_input_count,
    (any_call)et_method_meta_output_count,
    (any_call)et_method_meta_input,
    (any_call)et_method_meta_output,
    (any_call)et_method_meta_planned_count,
    (any_call)et_method_meta_planned_bytes,
    (any_call)et_method_meta_conditions,
    (any_call)et_method_set_input,
    (any_call)et_method_set_scalar_input,
    (any_call)et_method_execute,
    (any_call)et_method_get_output,
    (any_call)et_method_reset_state,
    (any_call)et_recorder_clear,
};
