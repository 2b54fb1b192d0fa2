/* What messages call a code: texts for %s alone (packing.h). */
#ifndef ET_RUNTIME_CORE_SAYS_H_
#define ET_RUNTIME_CORE_SAYS_H_

#include "executorch/status.h"

/* et_status_text. */
const char *et_status_says(et_status status);

/* et_value_tag_name. */
const char *et_value_tag_says(int32_t tag);

/* et_scalar_type_name. */
const char *et_scalar_type_says(int32_t dtype);

#endif /* ET_RUNTIME_CORE_SAYS_H_ */
