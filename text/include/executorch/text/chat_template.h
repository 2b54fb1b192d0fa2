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

/* A message of a conversation. The text need not end with NUL. */
typedef struct et_chat_message {
  et_chat_role role;
  const char *text;
  size_t size;
} et_chat_message;

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

/* The whitespace that a template removes from one side of a message. */
typedef enum et_chat_trim {
  ET_CHAT_KEEP,
  ET_CHAT_TRIM_NEWLINES,
  ET_CHAT_TRIM_SPACES, /* all Unicode whitespace */
} et_chat_trim;

/* The texts around messages of a role, and the changes of their text. */
typedef struct et_chat_format {
  et_chat_parts before;
  et_chat_parts after;
  et_chat_trim start;
  et_chat_trim end;
  bool needs_text; /* blank messages are not supported */
} et_chat_format;

/* Index of the format of the first user message after a system message. The others are roles. */
#define ET_CHAT_FIRST_USER 3

/* A chat template, split into texts. */
typedef struct et_chat_template {
  et_chat_format formats[4];
  /* Precedes a conversation that does not start with a system message. */
  et_chat_parts opening;
  et_chat_parts answer; /* start of an answer */
  const int64_t *stops; /* tokens that end an answer */
  size_t stop_count;
  bool has_system;     /* system messages are supported */
  bool alternates;     /* messages must be of user and assistant in turn */
  bool ends_with_user; /* an answer must follow a message of the user */
  /* An assistant's message starts after its last "</think>", and whitespace is removed there. */
  bool drops_thoughts;
  et_chat_trim thought;
} et_chat_template;

/* The place where messages start. */
typedef enum et_chat_start {
  ET_CHAT_BEGIN,  /* at the start of the conversation */
  ET_CHAT_APPEND, /* after other messages */
  ET_CHAT_AFTER_ANSWER, /* after the text of an answer, without the token that ended it */
} et_chat_start;

/* Messages to convert. */
typedef struct et_chat_request {
  const et_chat_message *messages;
  size_t count;
  et_chat_start start;
  bool answers; /* the tokens end with the start of an answer */
} et_chat_request;

/* Scratch memory, provided by the caller. `text` must hold the longest text between two control
 * tokens; see et_chat_text_bytes. */
typedef struct et_chat_work {
  char *text;
  size_t size;
  et_bpe_symbol *symbols;
  size_t count;
} et_chat_work;

/* Returns NULL if the template supports the messages. Otherwise, returns what is wrong with
 * messages[*out_index], such as "is a system message, but ...". */
const char *et_chat_check(const et_chat_template *chat,
                          const et_chat_request *request, size_t *out_index);

/* Writes the tokens of messages that et_chat_check accepts. Without messages, writes those of the
 * template's texts alone. Returns the number of tokens, or ET_CHAT_TOO_LONG if the number is not
 * less than `capacity` or a message does not fit in `work->text`.
 *
 * Text between control tokens is encoded as a whole, even if it is of several messages. If they do
 * not fit in `work->text` together, the text is split between two of them. */
size_t et_chat_tokens(const et_chat_template *chat,
                      const et_bpe_vocabulary *vocabulary,
                      const et_chat_request *request, int64_t *tokens,
                      size_t capacity, const et_chat_work *work);

#define ET_CHAT_TOO_LONG SIZE_MAX

/* Returns the bytes of text between two control tokens, if messages have at most `message_bytes`;
 * SIZE_MAX if the number is too large. */
size_t et_chat_text_bytes(const et_chat_template *chat, size_t message_bytes);

/* Returns true if `token` ends an answer. */
bool et_chat_is_stop(const et_chat_template *chat, int64_t token);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_CHAT_TEMPLATE_H_ */
