/* Sets recorded inputs of a method. */
#ifndef ET_RUNTIME_REPLAY_FEED_H_
#define ET_RUNTIME_REPLAY_FEED_H_

#include <stdint.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/replay/calls.h"

/* A method and its description in the program. */
typedef struct et_feed_target {
  et_method_meta meta;
  et_method *method;
} et_feed_target;

/* Sets input `index`.
 *
 * A tensor is copied to the heap in the input's dim order. *buffer receives the
 * copy; its previous content is freed. The caller frees the last one after the
 * run, since unplanned inputs borrow it. Errors are those of
 * et_method_set_input and et_method_set_scalar_input. */
et_status et_feed_input(const et_feed_target *target, uint32_t index,
                        const et_record *record, void **buffer,
                        et_error *error);

#endif /* ET_RUNTIME_REPLAY_FEED_H_ */
