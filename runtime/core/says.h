/* Names of codes in messages. The texts are packed, so use them only for %s. */
#ifndef ET_RUNTIME_CORE_SAYS_H_
#define ET_RUNTIME_CORE_SAYS_H_

#include "executorch/status.h"

/* Packed et_status_text. */
const char *et_status_says(et_status status);

/* Packed et_value_tag_name. */
const char *et_value_tag_says(int32_t tag);

/* Packed et_scalar_type_name. */
const char *et_scalar_type_says(int32_t dtype);

#endif /* ET_RUNTIME_CORE_SAYS_H_ */
