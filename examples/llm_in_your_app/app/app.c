/* Answers a prompt: app PROMPT. All memory is static. */
#include <stdio.h>
#include <string.h>

#include "app/llm_cc.h"
#include "app/words.h"
#include "backends/cpu/threads/pool.h"
#include "executorch/text/chat_template.h"
#include "executorch/text/sampler.h"
#include "executorch/text/utf8_stream.h"

/* The limits of one prefill call and of a conversation, in tokens, as in the network's
 * source; upper bounds of the vocabulary size and of a token's length in bytes. */
enum { kChunk = 128, kContext = 2048, kTokens = 49152, kPiece = 256 };
enum { kAnswer = 256, kThreads = 2, kText = 8192 };

/* All zero: always select the most probable token. */
static const et_sampler_options kSampling = {0};

static llm_prefill_memory prefill_memory;
static llm_decode_memory decode_memory;
static llm_state cache; /* shared by both methods */
static llm_prefill_method prefill;
static llm_decode_method decode;

static et_status load(const et_method_options *options, et_error *error) {
  if (app_words.count > kTokens) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "the file has %u tokens, but the limit is %d",
                   (unsigned)app_words.count, kTokens);
  }
  ET_RETURN_IF_ERROR(
      llm_prefill_load(&prefill_memory, options, &cache, &prefill, error));
  return llm_decode_load(&decode_memory, options, &cache, &decode, error);
}

/* Processes two to kChunk tokens; `at` is the position of the first one. */
static et_status take_many(const int64_t *tokens, int32_t count, int64_t at,
                           const float **scores, et_error *error) {
  int64_t positions[kChunk];
  for (int32_t i = 0; i < count; ++i) {
    positions[i] = at + i;
  }
  const int32_t sizes[2] = {1, count};
  ET_RETURN_IF_ERROR(
      llm_prefill_set_tokens(prefill, tokens, (size_t)count, sizes, error));
  ET_RETURN_IF_ERROR(llm_prefill_set_positions(prefill, positions,
                                               (size_t)count, &count, error));
  ET_RETURN_IF_ERROR(llm_prefill_execute(prefill, error));
  return llm_prefill_get_output_0(prefill, scores, error);
}

static et_status take_one(int64_t token, int64_t at, const float **scores,
                          et_error *error) {
  ET_RETURN_IF_ERROR(llm_decode_set_tokens(decode, &token, error));
  ET_RETURN_IF_ERROR(llm_decode_set_positions(decode, &at, error));
  ET_RETURN_IF_ERROR(llm_decode_execute(decode, error));
  return llm_decode_get_output_0(decode, scores, error);
}

/* Processes the prompt's tokens; `scores` rates the candidates for the next token. */
static et_status take_prompt(const int64_t *tokens, size_t count,
                             const float **scores, et_error *error) {
  for (size_t at = 0; at < count; at += kChunk) {
    const size_t part = count - at < kChunk ? count - at : kChunk;
    ET_RETURN_IF_ERROR(part == 1
                           ? take_one(tokens[at], (int64_t)at, scores, error)
                           : take_many(tokens + at, (int32_t)part, (int64_t)at,
                                       scores, error));
  }
  return ET_STATUS_OK;
}

/* Writes the tokens before the answer and returns their number; 0 if the prompt is too
 * long. */
static size_t make_tokens(const char *prompt, int64_t *tokens) {
  static char text[kText];
  static et_bpe_symbol symbols[kText];
  const et_chat_work work = {text, kText, symbols, kText};
  size_t count = et_chat_parts_tokens(&app_words_chat.opening, &app_words,
                                      tokens, kContext, &work);
  const size_t said =
      et_chat_message(&app_words_chat, &app_words, ET_CHAT_USER, prompt,
                      strlen(prompt), tokens + count, kContext - count, &work);
  if (said == ET_CHAT_TOO_LONG) {
    return 0;
  }
  count += said;
  const size_t begun =
      et_chat_parts_tokens(&app_words_chat.answer, &app_words, tokens + count,
                           kContext - count, &work);
  return begun == ET_CHAT_TOO_LONG ? 0 : count + begun;
}

/* Prints complete characters only, because a character may span several tokens. */
static void print_token(et_utf8_stream *characters, int64_t token) {
  char out[ET_UTF8_STREAM_BYTES(kPiece)];
  size_t size = 0;
  const char *piece = et_bpe_piece(&app_words, token, &size);
  size = size < kPiece ? size : kPiece;
  fwrite(out, 1, et_utf8_stream_push(characters, piece, size, out), stdout);
  fflush(stdout);
}

/* Prints tokens until one ends the answer, after `count` processed tokens. */
static et_status answer(const float *scores, size_t count, et_error *error) {
  static et_sampler_choice choices[kTokens];
  et_utf8_stream characters = {0};
  uint64_t seed = 1;
  for (int left = kAnswer; left > 0 && count < kContext; --left) {
    const int64_t token =
        et_sampler_choose(&kSampling, scores, app_words.count, &seed, choices);
    if (et_chat_is_stop(&app_words_chat, token)) {
      break;
    }
    print_token(&characters, token);
    ET_RETURN_IF_ERROR(take_one(token, (int64_t)count++, &scores, error));
  }
  putchar('\n');
  return ET_STATUS_OK;
}

static et_status reply(const char *prompt, const et_method_options *options,
                       et_error *error) {
  static int64_t tokens[kContext];
  const float *scores = NULL;
  ET_RETURN_IF_ERROR(load(options, error));
  const size_t count = make_tokens(prompt, tokens);
  if (count == 0) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES, "the prompt is too long");
  }
  ET_RETURN_IF_ERROR(take_prompt(tokens, count, &scores, error));
  return answer(scores, count, error);
}

int main(int argc, char **argv) {
  static et_cpu_pool pool;
  et_error error = ET_ERROR_INIT;
  if (argc != 2) {
    fprintf(stderr, "usage: app PROMPT\n");
    return 1;
  }
  et_status status = et_cpu_pool_create(&pool, kThreads, &error);
  if (status == ET_STATUS_OK) {
    const et_method_options options = {.parallel = &pool.parallel};
    status = reply(argv[1], &options, &error);
    et_cpu_pool_destroy(&pool);
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  }
  return status == ET_STATUS_OK ? 0 : 1;
}
