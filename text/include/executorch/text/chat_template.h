/* Conversations as tokens, in the format on which a model was trained.
 *
 * A build generates the template's tables from a GGUF file, together with the vocabulary
 * (bpe_vocabulary in //text:defs.bzl). Only the template itself produces control tokens.
 * Names of control tokens in messages are ordinary text. */
#ifndef EXECUTORCH_TEXT_CHAT_TEMPLATE_H_
#define EXECUTORCH_TEXT_CHAT_TEMPLATE_H_

#include "executorch/text/bpe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum et_chat_role {
  ET_CHAT_SYSTEM, /* only as the first message of a conversation */
  ET_CHAT_USER,
  ET_CHAT_ASSISTANT,
} et_chat_role;

/* A control token, or text between control tokens. */
typedef struct et_chat_part {
  const char *text;
  size_t size;
  int64_t token; /* -1 for text */
} et_chat_part;

typedef struct et_chat_parts {
  const et_chat_part *items;
  size_t count;
} et_chat_parts;

/* Texts around messages, by role. Roles that the template does not support have
 * no parts. */
typedef struct et_chat_template {
  et_chat_parts before[3];
  et_chat_parts after[3];
  /* Precedes a conversation that does not start with a system message. */
  et_chat_parts opening;
  et_chat_parts answer; /* start of an answer */
  const int64_t *stops; /* tokens that end an answer */
  size_t stop_count;
} et_chat_template;

/* Scratch memory, provided by the caller. `text` must hold the longest text between two control
 * tokens: a message and the template's text around it. */
typedef struct et_chat_work {
  char *text;
  size_t size;
  et_bpe_symbol *symbols;
  size_t count;
} et_chat_work;

/* Writes the tokens of a message and of the template around it. Returns their number, or
 * ET_CHAT_TOO_LONG if the number is not less than `capacity` or `work->text` is too small. */
size_t et_chat_message(const et_chat_template *chat,
                       const et_bpe_vocabulary *vocabulary, et_chat_role role,
                       const char *text, size_t size, int64_t *tokens,
                       size_t capacity, const et_chat_work *work);

/* Writes the tokens of `chat->opening` or `chat->answer`, with the same results. */
size_t et_chat_parts_tokens(const et_chat_parts *parts,
                            const et_bpe_vocabulary *vocabulary,
                            int64_t *tokens, size_t capacity,
                            const et_chat_work *work);

#define ET_CHAT_TOO_LONG SIZE_MAX

/* Returns true if `token` ends an answer. */
bool et_chat_is_stop(const et_chat_template *chat, int64_t token);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_CHAT_TEMPLATE_H_ */
