#include "benchmarks/chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "executorch/llm/hosted.h"
#include "models/chat/smollm2.h"

enum { kSymbols = 1 << 16 };

struct bench_chat {
  et_llm *llm;
  et_llm_session *session;
  et_bpe_symbol symbols[kSymbols];
};

bench_chat *bench_chat_open(size_t threads, char *error) {
  et_error failure = {.message = "no memory"};
  bench_chat *chat = calloc(1, sizeof *chat);
  if (chat != NULL &&
      et_llm_create(&smollm2, threads, &chat->llm, &failure) == ET_STATUS_OK &&
      et_llm_session_create(chat->llm, &chat->session, &failure) ==
          ET_STATUS_OK) {
    return chat;
  }
  memcpy(error, failure.message, sizeof failure.message);
  if (chat != NULL) {
    bench_chat_close(chat);
  }
  return NULL;
}

void bench_chat_close(bench_chat *chat) {
  et_llm_session_destroy(chat->session);
  et_llm_destroy(chat->llm);
  free(chat);
}

void bench_chat_restart(bench_chat *chat) {
  (void)et_llm_rewind(chat->session, 0, NULL);
}

int64_t bench_chat_take(bench_chat *chat, const int64_t *tokens, size_t count,
                        char *error) {
  static const et_sampler_options kGreedy = {0};
  const float *scores = NULL;
  uint64_t seed = 0;
  et_error failure = ET_ERROR_INIT;
  if (et_llm_append(chat->session, tokens, count, &scores, &failure) !=
      ET_STATUS_OK) {
    memcpy(error, failure.message, sizeof failure.message);
    return -1;
  }
  return et_sampler_choose(&kGreedy, scores,
                           et_llm_get_info(chat->llm)->vocabulary, &seed, NULL);
}

size_t bench_chat_tokens(bench_chat *chat, const char *text, size_t size,
                         int64_t *tokens, size_t capacity) {
  return et_bpe_encode(smollm2.vocabulary, text, size, tokens, capacity,
                       chat->symbols, kSymbols);
}
