/* //models:chat without its program, for Python to load: text to tokens, tokens to the next one. */
#ifndef BENCHMARKS_CHAT_CHAT_H_
#define BENCHMARKS_CHAT_CHAT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct bench_chat bench_chat;

/* `threads` are lent to it. NULL on an error, with its message in `error`, of
 * ET_ERROR_MESSAGE_BYTES. */
bench_chat *bench_chat_open(size_t threads, char *error);
void bench_chat_close(bench_chat *chat);

/* Forgets the tokens that it took. */
void bench_chat_restart(bench_chat *chat);

/* Takes tokens that follow those before, and gives the most probable one to come next; -1 on
 * an error, with its message. */
int64_t bench_chat_take(bench_chat *chat, const int64_t *tokens, size_t count,
                        char *error);

/* How many tokens a text is, and writes as many as there is room for. */
size_t bench_chat_tokens(bench_chat *chat, const char *text, size_t size,
                         int64_t *tokens, size_t capacity);

#endif /* BENCHMARKS_CHAT_CHAT_H_ */
