/* Runs recorded calls: loads their methods and sets their inputs. */
#ifndef ET_RUNTIME_REPLAY_SESSION_H_
#define ET_RUNTIME_REPLAY_SESSION_H_

#include <stdint.h>

#include "executorch/hosted_method.h"
#include "executorch/method.h"
#include "executorch/observer.h"
#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/replay/calls.h"

#define ET_SESSION_MAX_METHODS 16
#define ET_SESSION_MAX_INPUTS 64

/* A method that the calls name. */
typedef struct et_session_method {
  char name[256];
  et_hosted_method hosted;
} et_session_method;

/* The caller sets the first four fields. The other fields are initially
 * zero. */
typedef struct et_session {
  const et_program *program;
  const et_registry *registry;
  uint32_t shared_memory_id;   /* memory id shared by all methods; 0: none */
  const et_observer *observer; /* for all methods; may be NULL */
  et_session_method methods[ET_SESSION_MAX_METHODS];
  size_t method_count;
  et_random random; /* for all methods; seeded with 0 */
  /* Aligned copies of the current call's inputs. */
  void *inputs[ET_SESSION_MAX_INPUTS];
} et_session;

/* Loads all methods before the first call, because loading resets shared
 * state. */
et_status et_session_load(et_session *session, et_calls calls, et_error *error);

/* Returns the method, or NULL if the calls do not name it. */
et_method *et_session_method_of(const et_session *session, const char *name);

/* Sets the inputs of a call and runs it, with the result in *out_status and
 * *reason. Reads all inputs even if one is rejected. Fails only if the
 * file is damaged. */
et_status et_session_call(et_session *session, const et_call *call,
                          et_calls *calls, et_status *out_status,
                          et_error *reason, et_error *error);

/* Skips the records of `count` outputs. */
et_status et_session_skip(et_calls *calls, uint32_t count, et_error *error);

void et_session_end(et_session *session);

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

#endif /* ET_RUNTIME_REPLAY_SESSION_H_ */
