// Text generation from C++17, without exceptions.
//
//   auto llm = executorch::Llm::create(app_assistant);
//   if (!llm) return fail(llm.error());
//   for (std::string_view piece : llm->chat("Hello!")) std::cout << piece;
//   if (!llm->result()) return fail(llm->result().error());
#ifndef EXECUTORCH_LLM_LLM_HPP_
#define EXECUTORCH_LLM_LLM_HPP_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executorch/llm/hosted.h"
#include "executorch/llm/llm.h"
#include "executorch/result.hpp"

namespace executorch {

// The options of a generation; see et_llm_generation. Strings are copied.
struct Generation : et_llm_generation {
  Generation() : et_llm_generation() {}
  std::vector<std::string> stop_strings;
};

// A message of a conversation.
struct Message {
  et_chat_role role;
  std::string_view text;
};

// The text of an answer, while it is generated: a range of std::string_view.
//
// Each iteration generates tokens until they complete at least one character. The range can be
// iterated once; its text is valid until the next iteration. If the loop ends early, the answer so
// far stays in the conversation.
class Answer {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view *;
    using reference = std::string_view;

    std::string_view operator*() const noexcept {
      return {answer_->piece_.text, answer_->piece_.size};
    }
    iterator &operator++() {
      if (!answer_->advance()) answer_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const iterator &other) const noexcept {
      return answer_ == other.answer_;
    }
    bool operator!=(const iterator &other) const noexcept {
      return answer_ != other.answer_;
    }

   private:
    friend class Answer;
    explicit iterator(Answer *answer) noexcept : answer_(answer) {}
    Answer *answer_;
  };

  // Generates the first text.
  iterator begin() { return iterator(advance() ? this : nullptr); }
  iterator end() noexcept { return iterator(nullptr); }

 private:
  friend class Llm;
  Answer(et_llm_session *session, Error *error) noexcept
      : session_(session), error_(error), piece_() {}

  // Returns false at the end of the answer.
  bool advance() {
    while (error_->status() == ET_STATUS_OK &&
           piece_.finish == ET_LLM_FINISH_NONE) {
      if (et_llm_next(session_, &piece_, error_->get()) == ET_STATUS_OK &&
          piece_.size != 0) {
        return true;
      }
    }
    return false;
  }

  et_llm_session *session_;
  Error *error_;
  et_llm_piece piece_;
};

// A model and a conversation. Movable; answers refer to the object, which must not move while they
// are iterated.
class Llm {
 public:
  // Opens a model with `threads` threads, and an empty conversation. Fails like et_llm_create.
  static Result<Llm> create(const et_llm_model &model, std::size_t threads = 1) {
    Llm llm;
    if (et_llm_create(&model, threads, &llm.llm_, llm.error_.get()) !=
            ET_STATUS_OK ||
        et_llm_session_create(llm.llm_, &llm.session_, llm.error_.get()) !=
            ET_STATUS_OK) {
      return llm.error_;
    }
    return std::move(llm);
  }

  Llm(Llm &&other) noexcept { *this = std::move(other); }
  Llm &operator=(Llm &&other) noexcept {
    std::swap(llm_, other.llm_);
    std::swap(session_, other.session_);
    std::swap(error_, other.error_);
    std::swap(options_, other.options_);
    std::swap(stops_, other.stops_);
    return *this;
  }
  ~Llm() {
    et_llm_session_destroy(session_);
    et_llm_destroy(llm_);
  }

  // Appends a user message to the conversation and generates an answer.
  Answer chat(std::string_view text, const Generation &options = Generation()) {
    return start({{ET_CHAT_USER, text}}, true, options);
  }

  // Generates an answer to the messages, which are the whole conversation. Only messages after the
  // first change are processed.
  Answer generate(const std::vector<Message> &messages,
                  const Generation &options = Generation()) {
    return start(messages, false, options);
  }

  // Returns success, or the error of the latest answer.
  Result<void> result() const noexcept { return error_; }

  // Ends the answer in progress, from any thread.
  void cancel() noexcept { et_llm_cancel(session_); }

  // Removes tokens from the end of the conversation (et_llm_rewind).
  Result<void> rewind(std::size_t count) noexcept {
    Error error;
    et_llm_rewind(session_, count, error.get());
    return error;
  }

  // Selects an adapter by its name, or none for nullptr (et_llm_set_adapter).
  Result<void> set_adapter(const char *name) noexcept {
    Error error;
    et_llm_set_adapter(session_, name, error.get());
    return error;
  }

  // Returns the number of tokens of the conversation.
  std::size_t token_count() const noexcept {
    std::size_t count = 0;
    (void)et_llm_get_tokens(session_, &count);
    return count;
  }

  const et_llm_stats &stats() const noexcept {
    return *et_llm_get_stats(session_);
  }
  const et_llm_info &info() const noexcept { return *et_llm_get_info(llm_); }

  // Returns the session, for functions of llm.h.
  et_llm_session *session() noexcept { return session_; }

 private:
  Llm() = default;

  Answer start(const std::vector<Message> &messages, bool continues,
               const Generation &options) {
    std::vector<et_llm_message> items;
    for (const Message &message : messages) {
      items.push_back({message.role, message.text.data(), message.text.size()});
    }
    et_llm_prompt prompt = {};
    prompt.messages = items.data();
    prompt.message_count = items.size();
    prompt.continues = continues;
    options_ = options;
    stops_.clear();
    for (const std::string &stop : options_.stop_strings) {
      stops_.push_back(stop.c_str());
    }
    if (!stops_.empty()) {
      options_.stops = stops_.data();
      options_.stop_count = stops_.size();
    }
    et_llm_begin(session_, &prompt, &options_, error_.get());
    return Answer(session_, &error_);
  }

  et_llm *llm_ = nullptr;
  et_llm_session *session_ = nullptr;
  Error error_;
  Generation options_;
  std::vector<const char *> stops_;
};

}  // namespace executorch

#endif  // EXECUTORCH_LLM_LLM_HPP_
