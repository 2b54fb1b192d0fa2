// Errors and results of the C++ interface, for code with and without exceptions.
#ifndef EXECUTORCH_RESULT_HPP_
#define EXECUTORCH_RESULT_HPP_

#include <cassert>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "executorch/status.h"

namespace executorch {

// The status and message of a failed call. The class does not call the runtime, so that users of a
// shared library do not link the runtime.
class Error {
 public:
  // Creates an error with the status OK, to pass to a call.
  Error() noexcept {
    error_.status = ET_STATUS_OK;
    error_.message[0] = '\0';
  }

  // Copies the message, truncated to ET_ERROR_MESSAGE_BYTES - 1 bytes.
  Error(et_status status, const char *message) noexcept {
    error_.status = status;
    copy(0, message);
  }

  // Returns ET_STATUS_OK if no call failed.
  et_status status() const noexcept { return error_.status; }

  // Returns a name such as "INVALID_ARGUMENT".
  const char *name() const noexcept {
    switch (error_.status) {
#define ET_STATUS_CASE(name, code, text) \
  case ET_STATUS_##name:                 \
    return #name;
      ET_STATUS_LIST(ET_STATUS_CASE)
#undef ET_STATUS_CASE
    }
    return "UNKNOWN";
  }

  // Returns a message with the invalid element, its value and a remedy. If the runtime was built
  // with `messages=codes`, the message is empty for errors of the caller.
  const char *message() const noexcept { return error_.message; }

  // Appends to the message, which is truncated to ET_ERROR_MESSAGE_BYTES - 1 bytes.
  Error &append(const char *text) noexcept {
    copy(std::strlen(error_.message), text);
    return *this;
  }
  Error &append(std::size_t number) noexcept {
    char digits[21];
    char *start = digits + sizeof digits - 1;
    *start = '\0';
    do {
      *--start = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return append(start);
  }

  // Returns a pointer for calls to C functions.
  et_error *get() noexcept { return &error_; }

  // Prepends `place` and ": " to the message, as in "inputs[0]: 4 is out of range". If the message
  // already starts with a place, which begins with `start` and ends with `end`, the new place
  // replaces it.
  Error &at(const char *place, const char *start = "inputs[",
            char end = ']') noexcept {
    char message[ET_ERROR_MESSAGE_BYTES];
    std::memcpy(message, error_.message, sizeof message);
    const bool is_placed = std::strncmp(message, start, std::strlen(start)) == 0;
    const char *rest =
        is_placed ? std::strchr(message + std::strlen(start), end) : nullptr;
    copy(rest == nullptr ? copy(copy(0, place), ": ") : copy(0, place),
         rest == nullptr ? message : rest + 1);
    return *this;
  }

 private:
  // Copies `text` to `offset`, and returns the offset of the NUL.
  std::size_t copy(std::size_t offset, const char *text) noexcept {
    for (; *text != '\0' && offset + 1 < sizeof error_.message; text++) {
      error_.message[offset++] = *text;
    }
    error_.message[offset] = '\0';
    return offset;
  }

  et_error error_;
};

// A value, or the error of the call that did not return it.
//
// Reading the value of a failed result, or the error of a successful one, is a bug in the caller;
// `assert` reports it.
template <class T>
class [[nodiscard]] Result {
 public:
  // Holds a value.
  Result(T value) noexcept : has_value_(true) {
    new (&value_) T(std::move(value));
  }
  // Holds an error.
  Result(const Error &error) noexcept : error_(error), has_value_(false) {}

  Result(Result &&other) noexcept : has_value_(other.has_value_) {
    if (has_value_) {
      new (&value_) T(std::move(other.value_));
    } else {
      new (&error_) Error(other.error_);
    }
  }
  Result &operator=(Result &&other) noexcept {
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (has_value_) {
      value_.~T();
    }
  }

  // Return whether the call succeeded.
  bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value_; }

  // Return the value of a successful result.
  T &value() & noexcept {
    assert(has_value_);
    return value_;
  }
  const T &value() const & noexcept {
    assert(has_value_);
    return value_;
  }
  T value() && noexcept {
    assert(has_value_);
    return std::move(value_);
  }
  T &operator*() & noexcept { return value(); }
  const T &operator*() const & noexcept { return value(); }
  T operator*() && noexcept { return std::move(*this).value(); }
  T *operator->() noexcept { return &value(); }
  const T *operator->() const noexcept { return &value(); }

  // Returns the error of a failed result.
  const Error &error() const noexcept {
    assert(!has_value_);
    return error_;
  }

 private:
  union {
    T value_;
    Error error_;
  };
  bool has_value_;
};

// Success, or the error of a call that returns no value.
template <>
class [[nodiscard]] Result<void> {
 public:
  // Success.
  Result() noexcept = default;
  // Holds an error; a status of OK is success.
  Result(const Error &error) noexcept : error_(error) {}

  // Return whether the call succeeded.
  bool has_value() const noexcept { return error_.status() == ET_STATUS_OK; }
  explicit operator bool() const noexcept { return has_value(); }

  // Returns the error of a failed result.
  const Error &error() const noexcept {
    assert(!has_value());
    return error_;
  }

 private:
  Error error_;
};

}  // namespace executorch

#endif  // EXECUTORCH_RESULT_HPP_
