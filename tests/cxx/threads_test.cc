// Tests objects of generated classes on several threads. CI runs it with ThreadSanitizer.
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "executorch/executorch.hpp"
#include "tests/cxx/check.h"
#include "tests/feature_models/running_mean_cc.hpp"

namespace models = tests::feature_models;

namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 10;
constexpr std::size_t kColumns = 4;

// Runs `function(index)` on each thread, and returns the results.
template <class Function>
auto on_threads(Function function) {
  using Value = decltype(function(0));
  std::vector<std::optional<Value>> found(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&found, &function, i] { found[i] = function(i); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  return found;
}

// Adds rows to the mean after a reset; returns the means after each call.
std::vector<float> means(models::RunningMean &net) {
  std::vector<float> found;
  net.reset_state();
  for (int call = 1; call <= kCalls; call++) {
    std::vector<float> rows(static_cast<std::size_t>(call % 4 + 1) * kColumns);
    for (std::size_t i = 0; i < rows.size(); i++) {
      rows[i] = 0.5f * static_cast<float>(i) - static_cast<float>(call);
    }
    auto mean = net.update({rows});
    if (mean) {
      found.insert(found.end(), mean->begin(), mean->end());
    }
  }
  return found;
}

void test_each_thread_has_an_object() {
  auto net = models::RunningMean::create();
  CHECK(net);
  const std::vector<float> expected = means(*net);
  CHECK(!expected.empty());
  const auto found = on_threads([](int) {
    auto own = models::RunningMean::create();
    return own ? means(*own) : std::vector<float>();
  });
  for (const auto &scores : found) {
    CHECK(*scores == expected);
  }
}

void test_objects_move_to_threads() {
  auto net = models::RunningMean::create();
  CHECK(net);
  const std::vector<float> expected = means(*net);
  std::vector<models::RunningMean> nets;
  for (int i = 0; i < kThreads; i++) {
    auto created = models::RunningMean::create();
    CHECK(created && means(*created) == expected);
    nets.push_back(*std::move(created));
  }
  const auto found = on_threads([&nets](int i) {
    models::RunningMean own = std::move(nets[i]);
    return means(own);
  });
  for (const auto &scores : found) {
    CHECK(*scores == expected);
  }
}

void test_threads_share_a_program() {
  auto program = executorch::Program::load(
      {running_mean_program_data, running_mean_program_size});
  CHECK(program);
  const auto loaded = on_threads([&program](int) {
    bool ok = true;
    for (int i = 0; i < kCalls; i++) {
      auto method = program->load_method("update", running_mean_registry);
      ok = ok && method && method->input_count() == 1;
    }
    return ok;
  });
  for (const auto &ok : loaded) {
    CHECK(*ok);
  }
}

}  // namespace

int main() {
  test_each_thread_has_an_object();
  test_objects_move_to_threads();
  test_threads_share_a_program();
  return check_failures == 0 ? 0 : 1;
}
