/* Conversations with a small model, for tests. */
#ifndef EXECUTORCH_LLM_TESTING_CHAT_H_
#define EXECUTORCH_LLM_TESTING_CHAT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/llm/hosted.h"

enum { kContext = 256, kText = 4096, kAnswer = 40 };

typedef struct answer {
  char text[kText];
  size_t size;
  size_t calls;
} answer;

/* The model that the target selects, the bytes of a row of its KV cache, and the number of tokens that
 * its layers cache in total. */
extern const et_llm_model *const kModel;
extern const size_t kRowBytes;
extern const size_t kCachedTokens;

/* The opened model, and the error of the last call. */
extern et_llm *llm;
extern et_error error;

/* At most kAnswer tokens. */
extern const et_llm_generation kShort;

/* Fixtures of a group of tests. */
int open_model(void **state);
int close_model(void **state);

et_llm_session *new_session(void);

et_llm_message user_message(const char *text);

/* Generates an answer to a message, which continues the conversation. */
void chat(et_llm_session *session, const char *text,
          const et_llm_generation *options, answer *out);

/* Generates from messages, which are the whole conversation. */
void answer_messages(et_llm_session *session, const et_llm_message *messages,
                     size_t count, const et_llm_generation *options,
                     answer *out);

/* Returns whether two sessions have the same tokens. */
bool same_tokens(const et_llm_session *a, const et_llm_session *b);

size_t token_count(const et_llm_session *session);

#endif /* EXECUTORCH_LLM_TESTING_CHAT_H_ */
