// Views of elements: inputs that the caller passes, and outputs of a method.
#ifndef EXECUTORCH_TENSOR_HPP_
#define EXECUTORCH_TENSOR_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

#include "executorch/tensor.h"

namespace executorch {

// A dynamic size in the bounds of `DynamicElements`.
inline constexpr std::int32_t kDynamic = -1;

// Copies sizes that C code returned.
template <std::size_t Rank>
std::array<std::int32_t, Rank> sizes_at(const std::int32_t *sizes) noexcept {
  std::array<std::int32_t, Rank> copy = {};
  for (std::size_t i = 0; i < Rank; i++) {
    copy[i] = sizes[i];
  }
  return copy;
}

// A view of a tensor's elements, in the tensor's dim order. The view does not own the elements. Those
// of an output are valid until the next call on the object that returned the output.
template <class T, std::size_t Rank>
class Tensor {
 public:
  using Sizes = std::array<std::int32_t, Rank>;

  // Views contiguous elements.
  constexpr Tensor(T *data, const Sizes &sizes) noexcept
      : data_(data), sizes_(sizes) {}

  // Views a tensor of the runtime, which must have this rank and dtype.
  explicit Tensor(const et_tensor &tensor) noexcept
      : data_(static_cast<T *>(tensor.data)),
        sizes_(sizes_at<Rank>(tensor.sizes)) {}

  // Return the address of the first element, and the size of each dimension.
  constexpr T *data() const noexcept { return data_; }
  constexpr const Sizes &sizes() const noexcept { return sizes_; }

  // Returns the number of elements.
  constexpr std::size_t size() const noexcept {
    std::size_t count = 1;
    for (std::size_t i = 0; i < Rank; i++) {
      count *= static_cast<std::size_t>(sizes_[i]);
    }
    return count;
  }

  // Iterate over the elements, and return the element at a position, in dim order. The position is
  // not checked.
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size(); }
  constexpr T &operator[](std::size_t index) const noexcept {
    return data_[index];
  }

#ifdef __cpp_lib_span
  constexpr operator std::span<T>() const noexcept { return {data_, size()}; }
#endif

 private:
  T *data_;
  Sizes sizes_;
};

namespace detail {

// Number of elements of a container if it is part of the type (std::array, std::span with an
// extent); otherwise SIZE_MAX.
template <class Container, class = void>
struct StaticCount {
  static constexpr std::size_t value = SIZE_MAX;
};
template <class T, std::size_t Count>
struct StaticCount<std::array<T, Count>> {
  static constexpr std::size_t value = Count;
};
template <class Container>
struct StaticCount<Container, std::void_t<decltype(Container::extent)>> {
  static constexpr std::size_t value = Container::extent;
};

template <class Container>
using Element = std::remove_cv_t<
    std::remove_pointer_t<decltype(std::declval<const Container &>().data())>>;

// Types with data() and size(), such as std::vector and std::span.
template <class Container, class = void>
struct IsContiguous : std::false_type {};
template <class Container>
struct IsContiguous<
    Container, std::void_t<Element<Container>,
                           decltype(std::declval<const Container &>().size())>>
    : std::true_type {};

// Returns the container's data. The cast accepts any type, so that only the assertion reports a
// wrong element type.
template <class T, class Container>
const T *data_of(const Container &container) noexcept {
  static_assert(std::is_same_v<Element<Container>, T>,
                "the container's element type differs from the input's");
  return static_cast<const T *>(static_cast<const void *>(container.data()));
}

template <class Type, class Result = int>
using IfContiguous = std::enable_if_t<IsContiguous<Type>::value, Result>;
template <class Type, class Result = int>
using IfArray = std::enable_if_t<std::is_array_v<Type>, Result>;

}  // namespace detail

// The elements of an input with fixed sizes: a borrowed pointer and a count.
//
// A wrong element type is a compile error. So is a wrong element count, if the count is part of the
// argument's type. The call checks other counts.
template <class T, std::size_t Count>
class Elements {
 public:
  // Borrows an array with any number of dimensions.
  template <class Array, detail::IfArray<Array> = 0>
  Elements(const Array &array) noexcept
      : data_(reinterpret_cast<const T *>(&array)), size_(Count) {
    static_assert(
        std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<Array>>, T>,
        "the array's element type differs from the input's");
    static_assert(sizeof(Array) == Count * sizeof(std::remove_all_extents_t<Array>),
                  "the array's element count differs from the input's");
  }

  // Borrows a container such as std::vector, std::array or std::span.
  template <class Container, detail::IfContiguous<Container> = 0>
  Elements(const Container &container) noexcept
      : data_(detail::data_of<T>(container)), size_(container.size()) {
    constexpr std::size_t count = detail::StaticCount<Container>::value;
    static_assert(count == SIZE_MAX || count == Count,
                  "the container's element count differs from the input's");
  }

  // Borrows `size` elements.
  constexpr Elements(const T *data, std::size_t size) noexcept
      : data_(data), size_(size) {}

  constexpr const T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  // Returns the number of elements of the input.
  static constexpr std::size_t expected_size() noexcept { return Count; }

 private:
  const T *data_;
  std::size_t size_;
};

// The elements of an input with dynamic sizes. `Bounds` are the input's sizes, with `kDynamic` for
// each dynamic size.
template <class T, std::int32_t... Bounds>
class DynamicElements {
 public:
  using Sizes = std::array<std::int32_t, sizeof...(Bounds)>;

  // The product of the fixed sizes.
  static constexpr std::size_t kFixedCount =
      ((Bounds == kDynamic ? std::size_t{1}
                           : static_cast<std::size_t>(Bounds)) *
       ... * 1);

  // Borrows a container such as std::vector, with all sizes. The call checks that the product of the
  // sizes is the number of elements.
  template <class Container, detail::IfContiguous<Container> = 0>
  DynamicElements(const Container &container, const Sizes &sizes) noexcept
      : DynamicElements(detail::data_of<T>(container), container.size(),
                        sizes) {}

  // Borrows a container if the input has one dynamic size. The size is computed from the number of
  // elements.
  template <class Container, detail::IfContiguous<Container> = 0>
  DynamicElements(const Container &container) noexcept
      : DynamicElements(container, deduced(container.size())) {
    static_assert(
        ((Bounds == kDynamic) + ... + 0) == 1,
        "the input has several dynamic sizes; pass {elements, {sizes}}");
  }

  // Borrows `size` elements, with all sizes.
  constexpr DynamicElements(const T *data, std::size_t size,
                            const Sizes &sizes) noexcept
      : data_(data), size_(size), sizes_(sizes) {}

  constexpr const T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr const Sizes &sizes() const noexcept { return sizes_; }

 private:
  static constexpr Sizes deduced(std::size_t size) noexcept {
    const std::size_t quotient = kFixedCount == 0 ? 0 : size / kFixedCount;
    const auto dynamic =
        static_cast<std::int32_t>(quotient < INT32_MAX ? quotient : INT32_MAX);
    return {(Bounds == kDynamic ? dynamic : Bounds)...};
  }

  const T *data_;
  std::size_t size_;
  Sizes sizes_;
};

}  // namespace executorch

#endif  // EXECUTORCH_TENSOR_HPP_
