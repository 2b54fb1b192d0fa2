// Tests that classes use the memory that the attribute `cpp_memory` selects.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/cxx/caller_memory_cc.hpp"
#include "tests/cxx/check.h"
#include "tests/cxx/heap_memory_cc.hpp"
#include "tests/cxx/static_memory_cc.hpp"
#include "tests/feature_models/integer_inputs_cc.hpp"

namespace {

// Allocations of the classes. Other allocations of the test do not use these functions.
std::size_t live_allocations = 0;
std::size_t last_size = 0;
std::size_t last_alignment = 0;

}  // namespace

void *operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t &) noexcept {
  last_size = size;
  last_alignment = static_cast<std::size_t>(alignment);
  live_allocations++;
  return std::aligned_alloc(last_alignment, size);
}
void operator delete(void *bytes, std::align_val_t) noexcept {
  live_allocations--;
  std::free(bytes);
}

namespace {

template <class Class, class = void>
struct OwnsMemory : std::false_type {};
template <class Class>
struct OwnsMemory<Class, std::void_t<decltype(Class::create())>>
    : std::true_type {};

template <class Class, class = void>
struct TakesMemory : std::false_type {};
template <class Class>
struct TakesMemory<Class, std::void_t<decltype(Class::create(
                              std::declval<typename Class::Memory &>()))>>
    : std::true_type {};

using Any = tests::feature_models::IntegerInputs;
using acme::Caller;
using acme::Heap;
using acme::Static;
static_assert(OwnsMemory<Any>::value && TakesMemory<Any>::value);
static_assert(OwnsMemory<Heap>::value && !TakesMemory<Heap>::value);
static_assert(OwnsMemory<Static>::value && !TakesMemory<Static>::value);
static_assert(!OwnsMemory<Caller>::value && TakesMemory<Caller>::value);

const std::vector<float> rows(32, 0.5f);
const std::vector<float> six(6, 0.5f);

void test_heap_memory_is_one_exact_allocation() {
  {
    auto net = Heap::create();
    CHECK(net);
    CHECK(live_allocations == 1);
    CHECK(last_size == sizeof(Heap::Memory));
    CHECK(last_alignment == alignof(Heap::Memory));
    Heap moved = *std::move(net);
    CHECK(moved.forward({six}));
    CHECK(live_allocations == 1);
  }
  CHECK(live_allocations == 0);
}

void test_static_memory_has_one_user() {
  auto first = Static::create();
  CHECK(first);
  auto second = Static::create();
  CHECK(!second);
  CHECK(second.error().status() == ET_STATUS_INVALID_STATE);
  CHECK(std::strcmp(second.error().message(),
                    "another object uses the static memory; destroy it first") ==
        0);
  {
    Static moved = *std::move(first);
    CHECK(moved.encode({rows}));
    CHECK(!Static::create());
  }
  auto third = Static::create();
  CHECK(third && third->encode({rows}));
  CHECK(live_allocations == 0);
}

void test_caller_memory_is_reused() {
  static Caller::Memory memory;
  const float x[] = {1, 2, 3, 4};
  for (int i = 0; i < 2; i++) {
    auto net = Caller::create(memory);
    CHECK(net);
    auto sum = net->forward({x});
    CHECK(sum && (*sum)[3] == 8.0f);
  }
  CHECK(live_allocations == 0);
}

}  // namespace

int main() {
  test_heap_memory_is_one_exact_allocation();
  test_static_memory_has_one_user();
  test_caller_memory_is_reused();
  return check_failures == 0 ? 0 : 1;
}
