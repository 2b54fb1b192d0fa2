/* The structs of llm.h, and functions that its parts share. */
#ifndef ET_LLM_SESSION_H_
#define ET_LLM_SESSION_H_

#include <stdatomic.h>

#include "executorch/llm/llm.h"
#include "executorch/method.h"
#include "executorch/program.h"
#include "llm/answer_text.h"
#include "llm/token_mask.h"

/* A method of the program, and its memory requirements. */
typedef struct llm_method {
  const char *name;
  et_method_requirements needs;
  size_t planned_bytes[ET_MAX_PLANNED_BUFFERS];
} llm_method;

/* The program with the weights file of an adapter, or of no adapter. */
typedef struct llm_variant {
  et_extent extents[2];
  et_data_source sources[2];
  et_program program;
} llm_variant;

struct et_llm {
  et_llm_model model;
  et_llm_options options;
  et_llm_info info;
  llm_variant base; /* without an adapter */
  llm_method prefill;
  llm_method decode;
  size_t text_bytes; /* of messages, between two control tokens */
};

/* Tokens [0, cached) are in the KV cache. The last token of an answer is processed only if the
 * conversation continues. */
struct et_llm_session {
  et_llm *llm;
  et_method *prefill;
  et_method *decode;
  et_mutable_span memory;
  const et_llm_adapter *adapter; /* NULL: none */
  const llm_variant *variant;    /* of the adapter: llm->base or in variants */
  llm_variant variants[2];
  et_state states[ET_MAX_PLANNED_BUFFERS];
  int64_t *tokens; /* `context` entries */
  size_t count;
  size_t cached;
  size_t written; /* the largest `cached` since the latest 0 */
  size_t
      system_count; /* tokens of the system message, or of the template's opening */
  size_t answer_start;   /* position of the first generated token */
  int64_t *prompt;       /* `context` entries: the tokens of a new prompt */
  int64_t *positions;    /* `chunk` entries */
  const float *scores;   /* of the token after `cached`; NULL: none */
  float *changed_scores; /* `vocabulary` entries */
  uint32_t *uses;        /* `vocabulary` entries, for penalties */
  et_sampler_choice *choices; /* `vocabulary` entries */
  et_chat_work work;
  et_llm_generation options;
  uint64_t random;
  bool is_active;
  llm_answer_text text;
  llm_token_mask mask; /* if the generation has a grammar */
  et_llm_stats stats;
  atomic_bool is_canceled;
};

/* Opens the program of a model with a weights file, which is empty if the program has none. `name`
 * is that of the file in messages. `*out` must not be moved. */
et_status llm_open_variant(const et_llm_model *model, const char *name,
                           et_span weights, llm_variant *out, et_error *error);

/* Loads the methods of a session. If that fails, the session has none. */
et_status llm_load_methods(et_llm_session *session, const llm_variant *variant,
                           et_error *error);
void llm_unload_methods(et_llm_session *session);

/* Ends the generation in progress. */
void llm_stop_generation(et_llm_session *session);

/* Writes the tokens of a prompt to session->prompt, less than `capacity`. `*out_system_count` is
 * the number of tokens of the system message, or of the template's opening. */
et_status llm_prompt_tokens(et_llm_session *session,
                            const et_llm_prompt *prompt, size_t capacity,
                            size_t *out_count, size_t *out_system_count,
                            et_error *error);

/* Processes the tokens that are not in the cache. Stops early, without an error, if the session is
 * canceled; session->scores is then NULL. */
et_status llm_process(et_llm_session *session, et_error *error);

/* Checks and selects options of a generation. */
et_status llm_check_generation(const et_llm *llm,
                               const et_llm_generation *options,
                               et_error *error);

/* Starts counting the tokens of an answer, for penalties. */
void llm_start_uses(et_llm_session *session);

/* Starts the grammar of a generation, if it has one. */
void llm_start_grammar(et_llm_session *session);

/* Returns whether the token ends the answer, and is not part of its text. */
bool llm_is_stop(const et_llm_session *session, int64_t token);

/* Selects the next token from session->scores. */
et_status llm_select(et_llm_session *session, int64_t *out_token,
                     et_error *error);

#endif /* ET_LLM_SESSION_H_ */
