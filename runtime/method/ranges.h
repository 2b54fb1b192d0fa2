/* The functions of et_ranges, which et_ranges_and_conditions shares. */
#ifndef ET_RUNTIME_METHOD_RANGES_H_
#define ET_RUNTIME_METHOD_RANGES_H_

#include "runtime/method/optional_parts.h"

/* Members of struct et_ranges. */
et_status et_ranges_check(const et_builder *builder);
void et_ranges_bind(const et_builder *builder);
et_status et_ranges_check_sizes(const et_method *method, size_t index,
                                const int32_t *sizes, et_error *error);
et_status et_ranges_set_integer(const et_method *method, size_t index,
                                const et_value *value, bool *out_is_ranged,
                                et_error *error);
et_status et_ranges_check_inputs(const et_method *method, et_error *error);
void et_ranges_forget(const et_method *method);

/* Returns the input that is value `value`, or input_count. */
uint32_t et_ranges_input(const et_method *method, int64_t value);

#endif /* ET_RUNTIME_METHOD_RANGES_H_ */
