// Chats with a language model: each line of the input is a message.
#include <iostream>
#include <string>

#include "app/assistant.h"
#include "executorch/llm/llm.hpp"

int main() {
  executorch::Generation options;
  options.max_tokens = 256;
  auto llm = executorch::Llm::create(app_assistant, 2);
  if (!llm) {
    std::cerr << llm.error().message() << '\n';
    return 1;
  }
  for (std::string line; llm->result() && std::getline(std::cin, line);) {
    for (auto piece : llm->chat(line, options)) std::cout << piece << std::flush;
    std::cout << std::endl;
  }
  if (!llm->result()) std::cerr << llm->result().error().message() << '\n';
  return llm->result() ? 0 : 1;
}
