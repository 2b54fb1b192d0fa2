/* //models:chat as a library for Python: tokenizes text and predicts the next token. */
#ifndef BENCHMARKS_CHAT_CHAT_H_
#define BENCHMARKS_CHAT_CHAT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct bench_chat bench_chat;

/* Borrows `threads`. On an error, returns NULL and writes the message to
 * `error`, which has ET_ERROR_MESSAGE_BYTES bytes. */
bench_chat *bench_chat_open(size_t threads, char *error);
void bench_chat_close(bench_chat *chat);

/* Resets the conversation. */
void bench_chat_restart(bench_chat *chat);

/* Appends tokens and returns the most probable next token. On an error, returns
 * -1 and writes the message to `error`. */
int64_t bench_chat_take(bench_chat *chat, const int64_t *tokens, size_t count,
                        char *error);

/* Returns the number of tokens of a text, and writes as many as fit. */
size_t bench_chat_tokens(bench_chat *chat, const char *text, size_t size,
                         int64_t *tokens, size_t capacity);

#endif /* BENCHMARKS_CHAT_CHAT_H_ */
