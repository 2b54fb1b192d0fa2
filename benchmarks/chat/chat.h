/* //models:chat as a library for Python: tokenizes text and predicts the next token. */
#ifndef BENCHMARKS_CHAT_CHAT_H_
#define BENCHMARKS_CHAT_CHAT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct bench_chat bench_chat;

/* Borrows `threads`. Returns NULL on an error and writes its message to `error`, of
 * ET_ERROR_MESSAGE_BYTES. */
bench_chat *bench_chat_open(size_t threads, char *error);
void bench_chat_close(bench_chat *chat);

/* Resets the conversation. */
void bench_chat_restart(bench_chat *chat);

/* Appends tokens and returns the most probable next one, or -1 and a message on an
 * error. */
int64_t bench_chat_take(bench_chat *chat, const int64_t *tokens, size_t count,
                        char *error);

/* Returns the number of tokens of a text, and writes as many as fit. */
size_t bench_chat_tokens(bench_chat *chat, const char *text, size_t size,
                         int64_t *tokens, size_t capacity);

#endif /* BENCHMARKS_CHAT_CHAT_H_ */
