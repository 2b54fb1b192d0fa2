// Answers a prompt: cpp_app PROMPT.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "app/llm_cc.hpp"
#include "app/words.h"
#include "backends/cpu/threads/pool.h"
#include "executorch/text/chat_template.h"
#include "executorch/text/sampler.h"
#include "executorch/text/utf8_stream.h"

namespace {

using app::Llm;
using executorch::Error;
using executorch::Result;
using Tokens = std::vector<std::int64_t>;

// The limits of one prefill call and of a conversation, in tokens, as in the network's source.
constexpr std::size_t kChunk = 128;
constexpr std::size_t kContext = 2048;
constexpr int kAnswer = 256;
constexpr std::size_t kThreads = 2;
constexpr std::size_t kText = 8192;   // bytes of a message
constexpr std::size_t kPiece = 256;   // upper bound of a token's bytes

// Processes tokens from position `at` on. Returns the scores of the candidates for the next token.
Result<const float *> process(Llm &llm, const std::int64_t *tokens,
                              std::size_t count, std::size_t at) {
  Tokens positions(count);
  std::iota(positions.begin(), positions.end(), static_cast<std::int64_t>(at));
  if (count == 1) {
    auto scores = llm.decode({{tokens, 1}, positions});
    if (!scores) return scores.error();
    return scores->data();
  }
  const auto size = static_cast<std::int32_t>(count);
  auto scores = llm.prefill({{tokens, count, {1, size}}, positions});
  if (!scores) return scores.error();
  return scores->data();
}

Result<const float *> process_prompt(Llm &llm, const Tokens &tokens) {
  Result<const float *> scores = nullptr;
  for (std::size_t at = 0; at < tokens.size() && scores; at += kChunk) {
    scores = process(llm, &tokens[at], std::min(tokens.size() - at, kChunk), at);
  }
  return scores;
}

// Returns the tokens before the answer; none if the prompt is too long.
Tokens tokens_of(const std::string &prompt) {
  std::vector<char> text(kText);
  std::vector<et_bpe_symbol> symbols(kText);
  const et_chat_work work = {text.data(), kText, symbols.data(), kText};
  Tokens tokens(kContext);
  std::size_t count = et_chat_parts_tokens(&app_words_chat.opening, &app_words,
                                           tokens.data(), kContext, &work);
  const std::size_t said = et_chat_message(
      &app_words_chat, &app_words, ET_CHAT_USER, prompt.data(), prompt.size(),
      tokens.data() + count, kContext - count, &work);
  if (said == ET_CHAT_TOO_LONG) return {};
  count += said;
  const std::size_t begun =
      et_chat_parts_tokens(&app_words_chat.answer, &app_words,
                           tokens.data() + count, kContext - count, &work);
  if (begun == ET_CHAT_TOO_LONG) return {};
  tokens.resize(count + begun);
  return tokens;
}

// Prints complete characters only, because a character may span several tokens.
void print_token(et_utf8_stream &characters, std::int64_t token) {
  char out[ET_UTF8_STREAM_BYTES(kPiece)];
  std::size_t size = 0;
  const char *piece = et_bpe_piece(&app_words, token, &size);
  size = et_utf8_stream_push(&characters, piece, std::min(size, kPiece), out);
  std::fwrite(out, 1, size, stdout);
  std::fflush(stdout);
}

// Prints tokens until one ends the answer.
Result<void> answer(Llm &llm, const std::string &prompt) {
  const Tokens tokens = tokens_of(prompt);
  if (tokens.empty()) {
    return Error(ET_STATUS_OUT_OF_RESOURCES, "the prompt is too long");
  }
  const et_sampler_options most_probable = {};
  std::vector<et_sampler_choice> choices(app_words.count);
  std::uint64_t seed = 1;
  et_utf8_stream characters = {};
  std::size_t at = tokens.size();
  Result<const float *> scores = process_prompt(llm, tokens);
  for (int left = kAnswer; scores && left > 0 && at < kContext; left--, at++) {
    const std::int64_t token = et_sampler_choose(
        &most_probable, *scores, app_words.count, &seed, choices.data());
    if (et_chat_is_stop(&app_words_chat, token)) break;
    print_token(characters, token);
    scores = process(llm, &token, 1, at);
  }
  if (!scores) return scores.error();
  std::putchar('\n');
  return {};
}

Result<void> run(const std::string &prompt, const et_parallel &threads) {
  et_method_options options = {};
  options.parallel = &threads;
  auto llm = Llm::create(options);
  if (!llm) return llm.error();
  return answer(*llm, prompt);
}

}  // namespace

int main(int argc, char **argv) {
  static et_cpu_pool pool;
  Error error;
  if (argc != 2) {
    std::fprintf(stderr, "usage: cpp_app PROMPT\n");
    return 1;
  }
  if (et_cpu_pool_create(&pool, kThreads, error.get()) != ET_STATUS_OK) {
    std::fprintf(stderr, "%s\n", error.message());
    return 1;
  }
  auto done = run(argv[1], pool.parallel);
  et_cpu_pool_destroy(&pool);
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().message());
    return 1;
  }
  return 0;
}
