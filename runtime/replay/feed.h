/* Giving recorded inputs to a method. */
#ifndef ET_RUNTIME_REPLAY_FEED_H_
#define ET_RUNTIME_REPLAY_FEED_H_

#include <stdint.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/replay/calls.h"

/* A method and what the program says of it. */
typedef struct et_feed_target {
  et_method_meta meta;
  et_method *method;
} et_feed_target;

/* Sets input `index`. A tensor is copied, in the dim order that the input has,
 * to the heap at *buffer, whose former content is freed: the caller frees the
 * last one after the run, since inputs that are not planned borrow it. Fails as
 * the setters do. */
et_status et_feed_input(const et_feed_target *target, uint32_t index,
                        const et_record *record, void **buffer,
                        et_error *error);

#endif /* ET_RUNTIME_REPLAY_FEED_H_ */
