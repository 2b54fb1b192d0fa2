/* Language models whose memory is allocated on the heap. */
#ifndef EXECUTORCH_LLM_HOSTED_H_
#define EXECUTORCH_LLM_HOSTED_H_

#include <stddef.h>

#include "executorch/llm/llm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a model with `threads` threads; the caller's thread is one of them.
 *
 * Allocates once. MEMORY_TOO_SMALL: the heap is exhausted. Other statuses are those of
 * et_cpu_pool_create and et_llm_open. */
et_status et_llm_create(const et_llm_model *model, size_t threads,
                        et_llm **out_llm, et_error *error);

/* Frees a model without sessions. Does nothing for NULL. */
void et_llm_destroy(et_llm *llm);

/* Opens a session of any model. Allocates once. */
et_status et_llm_session_create(et_llm *llm, et_llm_session **out_session,
                                et_error *error);

/* Closes and frees a session of et_llm_session_create. Does nothing for NULL. */
void et_llm_session_destroy(et_llm_session *session);

/* Appends a user message to the conversation and generates an answer (et_llm_generate).
 *
 * `text` ends with NUL. `options` and `on_text` may be NULL. */
et_status et_llm_chat(et_llm_session *session, const char *text,
                      const et_llm_generation *options, et_llm_text_fn on_text,
                      void *user, et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_LLM_HOSTED_H_ */
