// Ownership of loaded methods and their memory, for generated classes.
#ifndef EXECUTORCH_LOADED_METHODS_HPP_
#define EXECUTORCH_LOADED_METHODS_HPP_

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "executorch/method.h"
#include "executorch/result.hpp"
#include "executorch/tensor.hpp"

namespace executorch {

// Returns the error of a call on a moved-from object.
inline Error not_loaded() noexcept {
  return Error(
      ET_STATUS_INVALID_STATE,
      "the object was moved from; use the object it was moved to");
}

// Checks the number of elements, and fills `error` if it is wrong.
template <class T, std::size_t Count>
bool has_expected_size(const Elements<T, Count> &elements,
                       Error &error) noexcept {
  if (elements.size() == Count) {
    return true;
  }
#ifdef ET_MESSAGES_CODES
  et_fail_code(error.get(), ET_STATUS_INVALID_ARGUMENT, 0,
               static_cast<std::uint32_t>(elements.size()));
#else
  et_fail(error.get(), ET_STATUS_INVALID_ARGUMENT, "%zu elements; pass %zu",
          elements.size(), Count);
#endif
  return false;
}

// `Count` methods, and the `Memory` into which they are loaded. Move-only. The destructor unloads
// the methods, then frees memory from `allocate`.
template <class Memory, std::size_t Count>
class LoadedMethods {
 public:
  // Uses the caller's memory, which must stay in place until the methods are unloaded.
  explicit LoadedMethods(Memory &memory) noexcept : memory_(&memory) {}

  // Allocates the memory, in one allocation of the exact size.
  static Result<LoadedMethods> allocate() noexcept {
    void *bytes = ::operator new(
        sizeof(Memory), std::align_val_t{alignof(Memory)}, std::nothrow);
    if (bytes == nullptr) {
      return Error(ET_STATUS_MEMORY_TOO_SMALL,
                   "the heap has no memory for the methods");
    }
    LoadedMethods methods(*new (bytes) Memory);
    methods.is_allocated_ = true;
    return methods;
  }

  LoadedMethods(LoadedMethods &&other) noexcept { swap(other); }
  LoadedMethods &operator=(LoadedMethods &&other) noexcept {
    LoadedMethods moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~LoadedMethods() {
    for (et_method *method : methods_) {
      et_method_unload(method);
    }
    if (is_allocated_) {
      memory_->~Memory();
      ::operator delete(static_cast<void *>(memory_),
                        std::align_val_t{alignof(Memory)});
    }
  }

  Memory &memory() const noexcept { return *memory_; }

  // Returns NULL if the method is not loaded yet, or if the object was moved from.
  et_method *operator[](std::size_t index) const noexcept {
    return methods_[index];
  }
  void set(std::size_t index, et_method *method) noexcept {
    methods_[index] = method;
  }

  // Resets the mutable buffers of all methods to their initial values.
  void reset_state() noexcept {
    for (et_method *method : methods_) {
      if (method != nullptr) {
        et_method_reset_state(method);
      }
    }
  }

 private:
  void swap(LoadedMethods &other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(methods_, other.methods_);
    std::swap(is_allocated_, other.is_allocated_);
  }

  Memory *memory_ = nullptr;
  et_method *methods_[Count] = {};
  bool is_allocated_ = false;
};

}  // namespace executorch

#endif  // EXECUTORCH_LOADED_METHODS_HPP_
