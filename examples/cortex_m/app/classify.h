/* The model, in memory whose size is known when it is compiled. */
#ifndef APP_CLASSIFY_H_
#define APP_CLASSIFY_H_

#include <stdint.h>

#include "executorch/status.h"

enum { kClasses = 10 };

et_status classify_load(et_error *error);

/* The logits are valid until the next call. */
et_status classify(const uint8_t *picture, const float **out_logits,
                   et_error *error);

int largest(const float *logits);

#endif /* APP_CLASSIFY_H_ */
