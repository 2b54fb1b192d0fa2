/* Conversations as the tokens that a model was trained on.
 *
 * The template is tables that a build makes of a GGUF file, together with its vocabulary
 * (byte_pair_vocabulary in //text:defs.bzl). Only its own text has tokens that control: what
 * people write is text, whatever it looks like. */
#ifndef EXECUTORCH_TEXT_CHAT_TEMPLATE_H_
#define EXECUTORCH_TEXT_CHAT_TEMPLATE_H_

#include "executorch/text/byte_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum et_chat_role {
  ET_CHAT_SYSTEM, /* only the first message of a conversation */
  ET_CHAT_USER,
  ET_CHAT_ASSISTANT,
} et_chat_role;

/* A token that controls, or text in between. */
typedef struct et_chat_part {
  const char *text;
  size_t size;
  int64_t token; /* -1 for text */
} et_chat_part;

typedef struct et_chat_parts {
  const et_chat_part *items;
  size_t count;
} et_chat_parts;

/* What stands around messages, by role; no parts where the template has no such role. */
typedef struct et_chat_template {
  et_chat_parts before[3];
  et_chat_parts behind[3];
  et_chat_parts
      opening; /* of a conversation whose first message is not the system's */
  et_chat_parts answer; /* what an answer begins with */
  const int64_t *stops; /* tokens that end an answer */
  size_t stop_count;
} et_chat_template;

/* Memory of the caller's to work in. Text between two tokens that control is put together
 * in `text`, so it has room for a message and the template's text around it. */
typedef struct et_chat_work {
  char *text;
  size_t size;
  et_byte_pair_symbol *symbols;
  size_t count;
} et_chat_work;

/* Writes the tokens of a message, those around it among them, and returns how many they
 * are; ET_CHAT_TOO_LONG when they are not fewer than `capacity`, or when `work->text` is
 * too small. */
size_t et_chat_message(const et_chat_template *chat,
                       const et_byte_pair_vocabulary *vocabulary,
                       et_chat_role role, const char *text, size_t size,
                       int64_t *tokens, size_t capacity,
                       const et_chat_work *work);

/* Likewise of `chat->opening` or `chat->answer`. */
size_t et_chat_parts_tokens(const et_chat_parts *parts,
                            const et_byte_pair_vocabulary *vocabulary,
                            int64_t *tokens, size_t capacity,
                            const et_chat_work *work);

#define ET_CHAT_TOO_LONG SIZE_MAX

/* Whether `token` ends an answer. */
bool et_chat_is_stop(const et_chat_template *chat, int64_t token);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_CHAT_TEMPLATE_H_ */
