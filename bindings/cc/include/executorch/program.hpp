// Programs and methods whose inputs and outputs are known only at run time.
//
// For a model that is known at build time, prefer the class in the generated header.
#ifndef EXECUTORCH_PROGRAM_HPP_
#define EXECUTORCH_PROGRAM_HPP_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "executorch/program.h"
#include "executorch/result.hpp"
#include "executorch/tensor.hpp"

namespace executorch {

// The dtype of elements of type `T`; other types do not compile. float16 and bfloat16 have no C++17
// type: pass their elements as `std::uint16_t`, with the dtype.
template <class T>
inline constexpr et_scalar_type kDtypeOf =
    T::no_tensor_has_elements_of_this_type;
template <>
inline constexpr et_scalar_type kDtypeOf<std::uint8_t> = ET_SCALAR_TYPE_UINT8;
template <>
inline constexpr et_scalar_type kDtypeOf<std::int8_t> = ET_SCALAR_TYPE_INT8;
template <>
inline constexpr et_scalar_type kDtypeOf<std::int16_t> = ET_SCALAR_TYPE_INT16;
template <>
inline constexpr et_scalar_type kDtypeOf<std::int32_t> = ET_SCALAR_TYPE_INT32;
template <>
inline constexpr et_scalar_type kDtypeOf<std::int64_t> = ET_SCALAR_TYPE_INT64;
template <>
inline constexpr et_scalar_type kDtypeOf<std::uint16_t> = ET_SCALAR_TYPE_UINT16;
template <>
inline constexpr et_scalar_type kDtypeOf<std::uint32_t> = ET_SCALAR_TYPE_UINT32;
template <>
inline constexpr et_scalar_type kDtypeOf<std::uint64_t> = ET_SCALAR_TYPE_UINT64;
template <>
inline constexpr et_scalar_type kDtypeOf<float> = ET_SCALAR_TYPE_FLOAT32;
template <>
inline constexpr et_scalar_type kDtypeOf<double> = ET_SCALAR_TYPE_FLOAT64;
template <>
inline constexpr et_scalar_type kDtypeOf<bool> = ET_SCALAR_TYPE_BOOL;
template <>
inline constexpr et_scalar_type kDtypeOf<std::complex<float>> =
    ET_SCALAR_TYPE_COMPLEX64;
template <>
inline constexpr et_scalar_type kDtypeOf<std::complex<double>> =
    ET_SCALAR_TYPE_COMPLEX128;

// A loaded method, whose memory is on the heap. Move-only. Only one thread at a time may use an
// object.
class Method {
 public:
  Method(Method &&other) noexcept : hosted_(std::exchange(other.hosted_, {})) {}
  Method &operator=(Method &&other) noexcept {
    std::swap(hosted_, other.hosted_);
    return *this;
  }
  ~Method() { et_hosted_method_free(&hosted_); }

  // Returns the C handle, which is valid for the lifetime of the object. Returns NULL if the object
  // was moved from.
  et_method *get() const noexcept { return hosted_.method; }

  // Return the number of inputs and of outputs; 0 if the object was moved from.
  std::size_t input_count() const noexcept {
    return get() == nullptr ? 0 : et_method_input_count(get());
  }
  std::size_t output_count() const noexcept {
    return get() == nullptr ? 0 : et_method_output_count(get());
  }

  // Sets input `index` to a tensor of `count` elements with these sizes. If the input is not
  // planned, `data` is borrowed until the input is set again; see et_method_set_input.
  template <class T>
  Result<void> set_input(std::size_t index, const T *data, std::size_t count,
                         std::initializer_list<std::int32_t> sizes,
                         et_scalar_type dtype = kDtypeOf<T>) noexcept {
    Error error;
    if (get() == nullptr) {
      return not_loaded();
    }
    et_method_set_input(get(), index, dtype, sizes.begin(), sizes.size(), data,
                        count * sizeof(T), error.get());
    return error;
  }

  // Overload for containers with data() and size(), such as std::vector.
  template <class Container, detail::IfContiguous<Container> = 0>
  Result<void> set_input(std::size_t index, const Container &elements,
                         std::initializer_list<std::int32_t> sizes) noexcept {
    return set_input(index, elements.data(), elements.size(), sizes);
  }

  // Sets input `index` to an integer; see et_method_set_scalar_input.
  Result<void> set_input(std::size_t index, std::int64_t value) noexcept {
    Error error;
    if (get() == nullptr) {
      return not_loaded();
    }
    et_value given;
    given.tag = ET_VALUE_INT;
    given.u.as_int = value;
    et_method_set_scalar_input(get(), index, &given, error.get());
    return error;
  }

  // Runs the method. Set its inputs before each run; see et_method_execute.
  Result<void> execute() noexcept {
    Error error;
    if (get() == nullptr) {
      return not_loaded();
    }
    et_method_execute(get(), error.get());
    return error;
  }

  // Returns the value of output `index`. The value is valid until the next call that sets an input,
  // runs the method or resets its state.
  Result<const et_value *> output(std::size_t index) const noexcept {
    Error error;
    if (get() == nullptr) {
      return not_loaded();
    }
    const et_value *value = nullptr;
    if (et_method_get_output(get(), index, &value, error.get()) !=
        ET_STATUS_OK) {
      return error;
    }
    return value;
  }

  // Returns output `index` as a tensor, which is a view of the method's memory. INVALID_TYPE: the
  // output is not a tensor, or has another element type or rank.
  template <class T, std::size_t Rank>
  Result<Tensor<const T, Rank>> output(std::size_t index) const noexcept {
    auto value = output(index);
    if (!value) {
      return value.error();
    }
    const et_value &found = **value;
    if (found.tag != ET_VALUE_TENSOR ||
        found.u.as_tensor->dtype != kDtypeOf<T> ||
        found.u.as_tensor->rank != Rank) {
      return Error(
          ET_STATUS_INVALID_TYPE,
          "the output is not a tensor of the requested element type and rank");
    }
    return Tensor<const T, Rank>(*found.u.as_tensor);
  }

  // Resets the mutable buffers to their initial values.
  void reset_state() noexcept {
    if (get() != nullptr) {
      et_method_reset_state(get());
    }
  }

 private:
  friend class Program;
  Method() noexcept = default;

  static Error not_loaded() noexcept {
    return Error(ET_STATUS_INVALID_STATE,
                 "the method was moved from; use the object it was moved to");
  }

  et_hosted_method hosted_ = {};
};

// An open program. Move-only. The program must outlive its methods.
class Program {
 public:
  // Maps the file at `path`, which must not change while the program exists.
  static Result<Program> open(const char *path) noexcept {
    Result<Program> program = empty();
    if (program) {
      Error error;
      if (et_file_open(path, &program->opened_->file, error.get()) !=
          ET_STATUS_OK) {
        return error;
      }
      if (et_program_load(program->opened_->file.bytes,
                          &program->opened_->program,
                          error.get()) != ET_STATUS_OK) {
        return error.at(path);
      }
    }
    return program;
  }

  // Maps a program and its external weights, a .ptd file. Neither file must change while the
  // program exists. INVALID_EXTERNAL_DATA: the weights are not those of the program.
  static Result<Program> open(const char *path,
                              const char *weights_path) noexcept {
    Result<Program> program = empty();
    if (program) {
      Opened &opened = *program->opened_;
      Error error;
      if (et_file_open(path, &opened.file, error.get()) != ET_STATUS_OK ||
          et_file_open(weights_path, &opened.weights, error.get()) !=
              ET_STATUS_OK) {
        return error;
      }
      if (opened.load(opened.file.bytes, opened.weights.bytes, error) !=
          ET_STATUS_OK) {
        const bool is_in_weights =
            std::strncmp(error.message(), "source 'weights'", 16) == 0;
        return error.at(is_in_weights ? weights_path : path, "source '", '\'');
      }
    }
    return program;
  }

  // Borrows the 16-byte aligned bytes of a program for the lifetime of the object.
  static Result<Program> load(et_span bytes) noexcept {
    Result<Program> program = empty();
    if (program) {
      Error error;
      if (et_program_load(bytes, &program->opened_->program, error.get()) !=
          ET_STATUS_OK) {
        return error;
      }
    }
    return program;
  }

  // Borrows the 16-byte aligned bytes of a program and of its external weights, a .ptd file, for
  // the lifetime of the program. INVALID_EXTERNAL_DATA: the weights are not those of the program.
  static Result<Program> load(et_span bytes, et_span weights) noexcept {
    Result<Program> program = empty();
    if (program) {
      Error error;
      if (program->opened_->load(bytes, weights, error) != ET_STATUS_OK) {
        return error;
      }
    }
    return program;
  }

  // Loads a method. `registry` has the linked kernels and backends: `<prefix>_registry` of a
  // generated C header, or `et_linked_registry`.
  Result<Method> load_method(
      const char *name, const et_registry &registry,
      const et_method_options &options = {}) const noexcept {
    Error error;
    if (opened_ == nullptr) {
      return Error(
          ET_STATUS_INVALID_STATE,
          "the program was moved from; use the object it was moved to");
    }
    Method method;
    if (et_hosted_method_load(&opened_->program, name, &registry, &options,
                              &method.hosted_, error.get()) != ET_STATUS_OK) {
      return error;
    }
    return method;
  }

  // Loads a method that shares the mutable buffers of `owner`, another method of this program. The
  // program must be compiled with `share_mutable_buffers`. `owner` must outlive the method, but may
  // be moved. Only one of the two may run at a time.
  Result<Method> load_method_sharing(
      const char *name, const et_registry &registry, const Method &owner,
      const et_method_options &options = {}) const noexcept {
    Error error;
    if (opened_ == nullptr || owner.get() == nullptr) {
      return Error(ET_STATUS_INVALID_STATE,
                   "the program or the owner was moved from; use the object it "
                   "was moved to");
    }
    Method method;
    if (et_hosted_method_load_sharing(&opened_->program, name, &registry,
                                      &options, &owner.hosted_,
                                      kSharedStateMemoryId, &method.hosted_,
                                      error.get()) != ET_STATUS_OK) {
      return error;
    }
    return method;
  }

  // Returns the number of methods; 0 if the object was moved from.
  std::size_t method_count() const noexcept {
    return opened_ == nullptr ? 0 : et_program_method_count(&opened_->program);
  }

  // Returns the name of method `index`, or an empty string if the index is out of range.
  std::string_view method_name(std::size_t index) const noexcept {
    et_string name = {nullptr, 0};
    if (index < method_count()) {
      et_program_method_name(&opened_->program, index, &name);
    }
    return {name.data, name.size};
  }

 private:
  // Allocated separately: methods point to it, so its address must not change when a Program is
  // moved.
  struct Opened {
    Opened() noexcept = default;
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;
    ~Opened() {
      et_file_close(&file);
      et_file_close(&weights);
    }

    // Opens `program` with both files, and compares the weights with the hashes in the program.
    et_status load(et_span bytes, et_span weights_bytes,
                   Error &error) noexcept {
      extents[0] = {0, bytes};
      extents[1] = {0, weights_bytes};
      sources[0] = {"program", bytes.size, &extents[0], 1, nullptr, nullptr};
      sources[1] = {"weights", weights_bytes.size, &extents[1], 1, nullptr,
                    nullptr};
      if (et_program_load_sources(sources, 2, &program, error.get()) !=
          ET_STATUS_OK) {
        return error.status();
      }
      return et_program_check_contents(&program, error.get());
    }

    et_file file = {};
    et_file weights = {};
    et_extent extents[2] = {};
    et_data_source sources[2] = {};
    et_program program = {};
  };

  // The memory id of buffers that `share_mutable_buffers` places.
  static constexpr std::uint32_t kSharedStateMemoryId = 2;

  Program() noexcept = default;

  static Result<Program> empty() noexcept {
    Program program;
    program.opened_.reset(new (std::nothrow) Opened);
    if (program.opened_ == nullptr) {
      return Error(ET_STATUS_MEMORY_TOO_SMALL,
                   "the heap has no memory for the program");
    }
    return program;
  }

  std::unique_ptr<Opened> opened_;
};

}  // namespace executorch

#endif  // EXECUTORCH_PROGRAM_HPP_
