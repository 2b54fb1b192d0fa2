/* Text generation with a compiled language model.
 *
 *   et_llm_measure -> et_llm_open -> et_llm_session_open
 *     -> { et_llm_generate, or et_llm_begin -> et_llm_next ... }*
 *
 * The caller provides all memory, and its exact size is known before opening. No function
 * allocates. hosted.h has functions that allocate the memory, and threads.
 *
 * executorch_llm (//llm:defs.bzl) compiles a model, and defines its et_llm_model. */
#ifndef EXECUTORCH_LLM_LLM_H_
#define EXECUTORCH_LLM_LLM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/llm/grammar.h"
#include "executorch/parallel.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/text/bpe.h"
#include "executorch/text/chat_template.h"
#include "executorch/text/sampler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A LoRA adapter of a model.
 *
 * `weights` has the bytes of a .ptd file, 16-byte aligned, which executorch_llm writes. */
typedef struct et_llm_adapter {
  const char *name;
  et_span weights;
} et_llm_adapter;

/* A compiled model, with its vocabulary and its chat template.
 *
 * The program has the methods `prefill` and `decode`, which take tokens, int64 [1, n], and their
 * positions, int64 [n], and return scores, float32 [1, vocabulary]. Both write to one KV cache. The
 * constant method `get_max_context_len` returns the maximum number of tokens of a conversation.
 *
 * If layers keep the latest tokens only, `get_min_ring_len` and `get_max_rewind_len` return `ring`
 * and `rewind` of et_llm_info. */
typedef struct et_llm_model {
  et_span program;
  const et_registry *registry;
  const et_bpe_vocabulary *vocabulary;
  const et_chat_template *chat;
  const et_grammar_tokens *text_tokens; /* for grammars; NULL: none */
  /* The .ptd file of a program whose weights adapters change: the weights
   * without an adapter. Empty for other programs. */
  et_span weights;
  const et_llm_adapter *adapters;
  size_t adapter_count;
} et_llm_model;

/* Options of a model. All zero selects the defaults. */
typedef struct et_llm_options {
  const et_parallel *parallel; /* worker threads; NULL: the calling thread */
  /* Monotonic clock in nanoseconds, for statistics; NULL: times are 0. */
  uint64_t (*clock)(void);
  size_t
      message_bytes; /* longest message; 0: 8 for each token of the context */
  size_t stop_bytes; /* longest stop string; 0: 256 */
} et_llm_options;

/* Sizes of a model, and of the memory that it needs. */
typedef struct et_llm_info {
  size_t context;       /* maximum number of tokens of a conversation */
  size_t chunk;         /* tokens that one prefill call processes */
  size_t vocabulary;    /* number of tokens that can be generated */
  size_t piece_bytes;   /* longest token */
  size_t message_bytes; /* longest message */
  size_t stop_bytes;    /* longest stop string */
  size_t cache_bytes;   /* KV cache, part of session_bytes */
  size_t llm_bytes;     /* memory of et_llm_open */
  size_t session_bytes; /* memory of et_llm_session_open */
  /* The reach of the KV cache. A layer with a window keeps the latest tokens only, in a ring of at
   * least `ring` tokens. A conversation that had more tokens can be rewound by at most `rewind`
   * tokens, counted from its longest end; beyond that, all tokens are processed again. Both are
   * `context` if every layer keeps all tokens. */
  size_t ring;
  size_t rewind;
} et_llm_info;

/* An open model, and a conversation. They are stored in the caller's memory. */
typedef struct et_llm et_llm;
typedef struct et_llm_session et_llm_session;

/* Verifies a model and computes its sizes. `options` may be NULL.
 *
 * INVALID_ARGUMENT: the model has no program, or the vocabulary does not match. INVALID_PROGRAM,
 * NOT_FOUND: the program is not a language model; the message names the method. */
et_status et_llm_measure(const et_llm_model *model,
                         const et_llm_options *options, et_llm_info *out_info,
                         et_error *error);

/* Opens a model in `memory`, which has llm_bytes bytes and is 64-byte aligned.
 *
 * The contents of `model` and `options` are copied; the objects that they point to, and `memory`,
 * are borrowed until the last session is closed. Nothing needs to be closed.
 * MEMORY_TOO_SMALL: the message states the required size. */
et_status et_llm_open(const et_llm_model *model, const et_llm_options *options,
                      et_mutable_span memory, et_llm **out_llm,
                      et_error *error);

/* Returns the sizes of an open model. */
const et_llm_info *et_llm_get_info(const et_llm *llm);

/* Opens an empty conversation in `memory`, which has session_bytes bytes and is 64-byte aligned.
 *
 * Each session has its own KV cache. Sessions of one model may be opened one at a time, and then
 * run on several threads; each session runs on one thread at a time. */
et_status et_llm_session_open(et_llm *llm, et_mutable_span memory,
                              et_llm_session **out_session, et_error *error);

/* Releases the resources of a session's backends. The caller may then reuse the memory. Does
 * nothing for NULL. */
void et_llm_session_close(et_llm_session *session);

/* A message of a conversation. The text need not end with NUL. */
typedef et_chat_message et_llm_message;

/* The input of a generation: either messages or tokens.
 *
 * By default, the input is the whole conversation. Tokens at its start that are equal to those of
 * the session are reused, so only the changed suffix is processed. If it begins beyond the reach of
 * the KV cache (et_llm_info.rewind), all tokens are processed. If `continues` is true, the input is
 * appended to the conversation instead. */
typedef struct et_llm_prompt {
  const et_llm_message
      *messages; /* as et_chat_check requires; see chat_template.h */
  size_t message_count;
  const int64_t *tokens; /* instead of messages, without a chat template */
  size_t token_count;
  bool continues;
} et_llm_prompt;

/* A number that is added to the score of a token. -INFINITY excludes the token. */
typedef struct et_llm_bias {
  int64_t token;
  float bias;
} et_llm_bias;

/* Changes the scores of the next token, for example to -INFINITY.
 *
 * `answer` has the tokens that were generated so far. A status other than OK ends the generation.
 */
typedef et_status (*et_llm_processor)(void *user, float *scores, size_t count,
                                      const int64_t *answer,
                                      size_t answer_count, et_error *error);

/* The policy for a full context. */
typedef enum et_llm_overflow {
  /* A prompt that does not fit is an error; a generation ends with ET_LLM_FINISH_CONTEXT. */
  ET_LLM_OVERFLOW_ERROR,
  /* Half of the tokens are removed: the oldest ones after the first `kept_tokens` tokens (attention
   * sinks; Xiao et al., 2023). The remaining tokens are processed again at their new positions, and
   * so are the first ones if they are beyond the reach of the KV cache (et_llm_info.rewind). */
  ET_LLM_OVERFLOW_SLIDE,
} et_llm_overflow;

/* Options of a generation. All zero selects the most probable tokens, until one ends the answer.
 *
 * Scores change in this order: biases, penalties, processor, grammar, temperature. Then, a token is selected
 * from those that min-p, top-k and top-p leave. */
typedef struct et_llm_generation {
  et_sampler_options sampling;
  uint64_t seed;     /* equal seeds and inputs give equal tokens */
  size_t max_tokens; /* 0: no limit except the context */
  /* NUL-terminated strings that end the answer, and are not part of its text. */
  const char *const *stops;
  size_t stop_count;
  const int64_t *stop_tokens; /* in addition to those of the chat template */
  size_t stop_token_count;
  const et_llm_bias *biases;
  size_t bias_count;
  et_llm_processor processor; /* NULL: none */
  void *processor_user;
  et_llm_overflow overflow;
  size_t kept_tokens; /* 0: the system message, at least 4 tokens */
  /* The grammar of the answer's text; NULL: none. Only tokens that continue it can be selected, and
   * tokens that end the answer only where the grammar can end. */
  const et_grammar *grammar;
} et_llm_generation;

/* X(NAME, text) */
#define ET_LLM_FINISH_LIST(X)                              \
  X(NONE, "the generation has not ended")                  \
  X(STOP, "a token ended the answer")                      \
  X(STOP_STRING, "a stop string ended the answer")         \
  X(LENGTH, "the answer has the maximum number of tokens") \
  X(CONTEXT, "the context is full")                        \
  X(CANCELED, "the generation was canceled")               \
  X(GRAMMAR, "the grammar permits no more text")

/* The reason for which a generation ended. */
typedef enum et_llm_finish {
#define ET_LLM_FINISH_ENUM(name, text) ET_LLM_FINISH_##name,
  ET_LLM_FINISH_LIST(ET_LLM_FINISH_ENUM)
#undef ET_LLM_FINISH_ENUM
} et_llm_finish;

/* Returns the text in the list above. */
const char *et_llm_finish_text(et_llm_finish finish);

/* One step of a generation. */
typedef struct et_llm_piece {
  /* Complete UTF-8 characters, valid until the next call. May be empty. */
  const char *text;
  size_t size;
  int64_t token;        /* the new token; -1 if there is none */
  et_llm_finish finish; /* ET_LLM_FINISH_NONE: call et_llm_next again */
} et_llm_piece;

/* Statistics of the latest generation. */
typedef struct et_llm_stats {
  size_t prompt_tokens; /* tokens before the answer */
  size_t reused_tokens; /* those of them that were already processed */
  size_t generated_tokens;
  double prompt_seconds; /* up to the first scores */
  double generation_seconds;
  et_llm_finish finish;
} et_llm_stats;

/* Receives text of an answer: complete UTF-8 characters, never empty. */
typedef void (*et_llm_text_fn)(void *user, const char *text, size_t size);

/* Processes a prompt and generates an answer. The answer becomes part of the conversation.
 *
 * `options` and `on_text` may be NULL. INVALID_ARGUMENT: the prompt or the options are not valid.
 * OUT_OF_RESOURCES: the prompt does not fit into the context. Both leave the conversation
 * unchanged. */
et_status et_llm_generate(et_llm_session *session, const et_llm_prompt *prompt,
                          const et_llm_generation *options,
                          et_llm_text_fn on_text, void *user, et_error *error);

/* Processes a prompt, the first step of et_llm_generate. Strings and arrays in `options` are
 * borrowed until the generation ends. Ends an earlier generation. */
et_status et_llm_begin(et_llm_session *session, const et_llm_prompt *prompt,
                       const et_llm_generation *options, et_error *error);

/* Generates the next token. INVALID_STATE: no generation is in progress. */
et_status et_llm_next(et_llm_session *session, et_llm_piece *out_piece,
                      et_error *error);

/* Ends the generation in progress, from any thread or a signal handler. It ends before its next
 * token, or before the next chunk of its prompt. Does not affect a generation that begins later. */
void et_llm_cancel(et_llm_session *session);

/* Returns statistics, valid until the next generation. */
const et_llm_stats *et_llm_get_stats(const et_llm_session *session);

/* Returns the tokens of the conversation, valid until its next change. */
const int64_t *et_llm_get_tokens(const et_llm_session *session,
                                 size_t *out_count);

/* Removes the tokens from position `count` on.
 *
 * To retract a turn, pass the number of tokens before it. 0 begins a new conversation. Ends the
 * generation in progress. If `count` is beyond the reach of the KV cache (et_llm_info.rewind), the
 * next generation processes all tokens again. INVALID_ARGUMENT: there are fewer tokens. */
et_status et_llm_rewind(et_llm_session *session, size_t count, et_error *error);

/* Selects an adapter of the model by its name; NULL for none, as in a new session.
 *
 * The program and its weights stay in memory. The conversation stays as well, and is processed again
 * with the new adapter, because the KV cache depends on it. Ends the generation in progress.
 * INVALID_ARGUMENT: the model does not have the adapter. INVALID_EXTERNAL_DATA, NOT_FOUND: the file
 * of the adapter does not match the program. After these, the session keeps its adapter. */
et_status et_llm_set_adapter(et_llm_session *session, const char *name,
                             et_error *error);

/* Returns the name of the session's adapter, or NULL. */
const char *et_llm_get_adapter(const et_llm_session *session);

/* Appends tokens and processes them. *out_scores are the `vocabulary` scores of the token that
 * follows, valid until the next call. Ends the generation in progress. OUT_OF_RESOURCES: the tokens
 * do not fit into the context; nothing was appended. */
et_status et_llm_append(et_llm_session *session, const int64_t *tokens,
                        size_t count, const float **out_scores,
                        et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_LLM_LLM_H_ */
