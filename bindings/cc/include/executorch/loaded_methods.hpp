// Ownership of loaded methods and their memory, for generated classes.
#ifndef EXECUTORCH_LOADED_METHODS_HPP_
#define EXECUTORCH_LOADED_METHODS_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

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
  error = Error(ET_STATUS_INVALID_ARGUMENT, "");
  error.append(elements.size()).append(" elements; pass ").append(Count);
  return false;
}

// Compares the number of elements with the product of the sizes. The C function checks the sizes.
template <class T, std::int32_t... Bounds>
bool has_expected_size(const DynamicElements<T, Bounds...> &elements,
                       Error &error) noexcept {
  std::uint64_t count = 1;
  for (const std::int32_t size : elements.sizes()) {
    if (size < 0 || count > UINT32_MAX) {
      return true;
    }
    count *= static_cast<std::uint64_t>(size);
  }
  if (elements.size() == count) {
    return true;
  }
  error = Error(ET_STATUS_INVALID_ARGUMENT, "");
  error.append(elements.size()).append(" elements; pass ");
  constexpr std::size_t fixed = DynamicElements<T, Bounds...>::kFixedCount;
  if (fixed != 0 && elements.size() % fixed != 0) {
    error.append("a multiple of ").append(fixed);
  } else {
    error.append(static_cast<std::size_t>(count));
  }
  return false;
}

// The handles of loaded methods, and the `Memory` into which they are loaded. Move-only. The
// destructor unloads the methods, then releases the memory.
//
// A handle is a struct of the C header. `Handles` has functions that unload and reset all methods.
template <class Memory, class Handles>
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
    methods.release_ = free_memory;
    return methods;
  }

  // Uses the static memory, which one object at a time can use.
  static Result<LoadedMethods> claim() noexcept {
    if (is_claimed_.test_and_set(std::memory_order_acquire)) {
      return Error(ET_STATUS_INVALID_STATE,
                   "another object uses the static memory; destroy it first");
    }
    LoadedMethods methods(static_memory_);
    methods.release_ = unclaim;
    return methods;
  }

  LoadedMethods(LoadedMethods &&other) noexcept { swap(other); }
  LoadedMethods &operator=(LoadedMethods &&other) noexcept {
    LoadedMethods moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~LoadedMethods() {
    if (memory_ != nullptr) {
      handles_.unload();
    }
    if (release_ != nullptr) {
      release_(memory_);
    }
  }

  Memory &memory() const noexcept { return *memory_; }

  // The `base` of a handle is NULL if its method is not loaded yet, or if the object was moved
  // from.
  Handles &handles() noexcept { return handles_; }

  // Resets the mutable buffers of all methods to their initial values.
  void reset_state() noexcept {
    if (memory_ != nullptr) {
      handles_.reset_state();
    }
  }

 private:
  static void free_memory(Memory *memory) noexcept {
    memory->~Memory();
    ::operator delete(static_cast<void *>(memory),
                      std::align_val_t{alignof(Memory)});
  }
  static void unclaim(Memory *) noexcept {
    is_claimed_.clear(std::memory_order_release);
  }

  void swap(LoadedMethods &other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(handles_, other.handles_);
    std::swap(release_, other.release_);
  }

  // Programs that do not call `claim` do not contain them.
  static inline Memory static_memory_;
  static inline std::atomic_flag is_claimed_ = ATOMIC_FLAG_INIT;

  Memory *memory_ = nullptr;
  Handles handles_ = {};
  void (*release_)(Memory *) noexcept = nullptr;  // NULL: the caller owns the memory
};

}  // namespace executorch

#endif  // EXECUTORCH_LOADED_METHODS_HPP_
