#include "benchmarks/chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cpu/threads/pool.h"
#include "executorch/text/bpe.h"
#include "executorch/text/sampler.h"
#include "models/chat/chat_vocabulary.h"
#include "models/chat/decoder.h"

enum { kSymbols = 1 << 16 };

struct bench_chat {
  et_cpu_pool pool;
  decoder decoder;
  et_sampler_choice choices[kDecoderTokens];
  et_bpe_symbol symbols[kSymbols];
};

static et_status load(bench_chat *chat, size_t threads, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_pool_create(&chat->pool, threads, error));
  const et_method_options options = {.parallel = &chat->pool.parallel};
  const et_status status = decoder_load(&chat->decoder, &options, error);
  if (status != ET_STATUS_OK) {
    et_cpu_pool_destroy(&chat->pool);
  }
  return status;
}

bench_chat *bench_chat_open(size_t threads, char *error) {
  et_error failure = {.message = "no memory"};
  bench_chat *chat = aligned_alloc(ET_CPU_POOL_LINE, sizeof *chat);
  if (chat != NULL) {
    memset(chat, 0, sizeof *chat);
    if (load(chat, threads, &failure) == ET_STATUS_OK) {
      return chat;
    }
  }
  free(chat);
  memcpy(error, failure.message, sizeof failure.message);
  return NULL;
}

void bench_chat_close(bench_chat *chat) {
  et_cpu_pool_destroy(&chat->pool);
  free(chat);
}

void bench_chat_restart(bench_chat *chat) { chat->decoder.length = 0; }

int64_t bench_chat_take(bench_chat *chat, const int64_t *tokens, size_t count,
                        char *error) {
  static const et_sampler_options kGreedy = {0};
  const float *scores = NULL;
  uint64_t seed = 0;
  et_error failure = ET_ERROR_INIT;
  if (decoder_take(&chat->decoder, tokens, count, &scores, &failure) !=
      ET_STATUS_OK) {
    memcpy(error, failure.message, sizeof failure.message);
    return -1;
  }
  return et_sampler_choose(&kGreedy, scores, kDecoderTokens, &seed,
                           chat->choices);
}

size_t bench_chat_tokens(bench_chat *chat, const char *text, size_t size,
                         int64_t *tokens, size_t capacity) {
  return et_bpe_encode(&chat_vocabulary, text, size, tokens, capacity,
                       chat->symbols, kSymbols);
}
