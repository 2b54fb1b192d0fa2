// Inputs and outputs of the driver in C++.
#ifndef ET_TESTS_LANGUAGES_DRIVER_HPP_
#define ET_TESTS_LANGUAGES_DRIVER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "executorch/executorch.hpp"
#include "tests/languages/driver.h"

// An argument, which converts to a pointer to elements of any type.
class Input {
 public:
  explicit Input(driver &io) : input_(driver_read(&io)) {}
  Input(const Input &) = delete;
  Input &operator=(const Input &) = delete;
  ~Input() { std::free(input_.data); }

  template <class T, std::size_t Count>
  operator executorch::Elements<T, Count>() const {
    return {static_cast<const T *>(input_.data), input_.bytes / sizeof(T)};
  }

  template <class T, std::int32_t... Bounds>
  operator executorch::DynamicElements<T, Bounds...>() const {
    std::array<std::int32_t, sizeof...(Bounds)> sizes = {};
    for (std::size_t i = 0; i < sizes.size(); i++) {
      sizes[i] = input_.sizes[i];
    }
    return {static_cast<const T *>(input_.data), input_.bytes / sizeof(T),
            sizes};
  }

  operator std::int64_t() const {
    std::int64_t value = 0;
    std::memcpy(&value, input_.data, sizeof value);
    return value;
  }

 private:
  driver_input input_;
};

template <class T, std::size_t Rank>
void write(driver &io, const executorch::Tensor<T, Rank> &tensor) {
  driver_write(&io, Rank, tensor.sizes().data(), tensor.data(),
               tensor.size() * sizeof(T));
}

inline void write(driver &io, std::string_view text) {
  driver_write(&io, 0, nullptr, text.data(), text.size());
}

template <class Scalar>
void write(driver &io, const Scalar &value) {
  driver_write(&io, 0, nullptr, &value, sizeof value);
}

// Returns the value of a successful call; otherwise, ends the driver.
template <class T>
T value_of(executorch::Result<T> result) {
  if (!result) {
    driver_stop(result.error().message());
  }
  return *std::move(result);
}

inline void value_of(executorch::Result<void> result) {
  if (!result) {
    driver_stop(result.error().message());
  }
}

#endif  // ET_TESTS_LANGUAGES_DRIVER_HPP_
