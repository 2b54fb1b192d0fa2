/* Making recorded calls: the methods that they name, loaded, and their inputs. */
#ifndef ET_RUNTIME_REPLAY_SESSION_H_
#define ET_RUNTIME_REPLAY_SESSION_H_

#include <stdint.h>

#include "executorch/hosted_method.h"
#include "executorch/observer.h"
#include "runtime/replay/calls.h"

#define ET_SESSION_MAX_METHODS 16
#define ET_SESSION_MAX_INPUTS 64

/* A method that the calls name. */
typedef struct et_session_method {
  char name[256];
  et_hosted_method hosted;
} et_session_method;

/* The first four fields are the caller's, the others begin as zeros. */
typedef struct et_session {
  const et_program *program;
  const et_registry *registry;
  uint32_t shared_memory_id;   /* which all methods share; 0 for none */
  const et_observer *observer; /* of all methods, or NULL */
  et_session_method methods[ET_SESSION_MAX_METHODS];
  size_t method_count;
  et_random random;                    /* for all methods, seeded with 0 */
  void *inputs[ET_SESSION_MAX_INPUTS]; /* copies of this call's, aligned */
} et_session;

/* Loads every method that the calls name: before any runs, as loading resets
 * state that methods share. */
et_status et_session_load(et_session *session, et_calls calls, et_error *error);

/* NULL for a method that no call names. */
et_method *et_session_method_of(const et_session *session, const char *name);

/* Sets the inputs of a call that was just read and runs it, with status and reason
 * in *out_status and *reason. Reads past all inputs even when one is refused. Fails
 * for a file that is damaged. */
et_status et_session_call(et_session *session, const et_call *call,
                          et_calls *calls, et_status *out_status,
                          et_error *reason, et_error *error);

/* Reads past `count` outputs. */
et_status et_session_skip(et_calls *calls, uint32_t count, et_error *error);

void et_session_end(et_session *session);

#endif /* ET_RUNTIME_REPLAY_SESSION_H_ */
