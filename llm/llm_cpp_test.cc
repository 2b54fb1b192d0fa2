// Tests of the C++ interface, with a small model with random weights.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executorch/llm/llm.hpp"
#include "llm/small.h"
#include "llm/testing_nested.h"

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) {                                             \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);  \
      std::exit(1);                                                 \
    }                                                               \
  } while (0)

namespace {

using executorch::Generation;
using executorch::Llm;

Llm new_llm() {
  auto llm = Llm::create(small);
  CHECK(llm);
  return std::move(llm).value();
}

Generation short_answer() {
  Generation options;
  options.max_tokens = 40;
  return options;
}

std::string text_of(executorch::Answer answer) {
  std::string text;
  for (std::string_view piece : answer) {
    CHECK(!piece.empty());
    text += piece;
  }
  return text;
}

void test_messages_and_turns_give_the_same_answer() {
  Llm turns = new_llm();
  Llm messages = new_llm();
  const std::string first = text_of(turns.chat("Hello!", short_answer()));
  CHECK(turns.result() && !first.empty());
  CHECK(first == text_of(messages.generate({{ET_CHAT_USER, "Hello!"}},
                                           short_answer())));
  CHECK(turns.stats().finish == ET_LLM_FINISH_LENGTH);
  CHECK(turns.token_count() ==
        turns.stats().prompt_tokens + turns.stats().generated_tokens);
  CHECK(turns.set_adapter(nullptr));
  CHECK(!turns.set_adapter("unknown"));
  CHECK(turns.rewind(0));
  CHECK(first == text_of(turns.chat("Hello!", short_answer())));
}

void test_stop_strings_outlive_the_call() {
  Llm llm = new_llm();
  const std::string whole = text_of(llm.chat("Hello!", short_answer()));
  CHECK(llm.rewind(0));
  Generation options = short_answer();
  options.stop_strings = {whole.substr(whole.size() - 4)};
  executorch::Answer answer = llm.chat("Hello!", options);
  options.stop_strings.clear();
  const std::string stopped = text_of(answer);
  CHECK(stopped == whole.substr(0, whole.find(whole.substr(whole.size() - 4))));
  CHECK(llm.stats().finish == ET_LLM_FINISH_STOP_STRING);
}

void test_answer_can_be_left_early_and_canceled() {
  Llm llm = new_llm();
  for (std::string_view piece : llm.chat("Hello!", short_answer())) {
    CHECK(!piece.empty());
    break;
  }
  for (std::string_view piece : llm.chat("Hello!", short_answer())) {
    CHECK(!piece.empty());
    llm.cancel();
  }
  CHECK(llm.result() && llm.stats().finish == ET_LLM_FINISH_CANCELED);
}

void test_grammar_constrains_the_answer() {
  Llm llm = new_llm();
  Generation options = short_answer();
  options.grammar = &testing_nested;
  const std::string text = text_of(llm.chat("Hello!", options));
  CHECK(llm.result() && !text.empty() && text[0] == '[');
}

void test_errors_end_the_answer() {
  Llm llm = new_llm();
  CHECK(text_of(llm.chat(std::string(300, 'o'))).empty());
  CHECK(!llm.result());
  CHECK(llm.result().error().status() == ET_STATUS_OUT_OF_RESOURCES);
  CHECK(!text_of(llm.chat("Hello!", short_answer())).empty() && llm.result());
  et_llm_model none = small;
  none.program = {nullptr, 0};
  const auto missing = Llm::create(none);
  CHECK(!missing && missing.error().status() == ET_STATUS_INVALID_ARGUMENT);
}

void test_moved_model_continues() {
  Llm first = new_llm();
  const std::string text = text_of(first.chat("Hello!", short_answer()));
  Llm second = std::move(first);
  CHECK(second.info().context == 256);
  CHECK(second.rewind(0));
  CHECK(text == text_of(second.chat("Hello!", short_answer())));
}

}  // namespace

int main() {
  test_messages_and_turns_give_the_same_answer();
  test_stop_strings_outlive_the_call();
  test_answer_can_be_left_early_and_canceled();
  test_grammar_constrains_the_answer();
  test_errors_end_the_answer();
  test_moved_model_continues();
  return 0;
}
