// Tests objects of generated classes on several threads. CI runs it with ThreadSanitizer.
#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cpu/threads/pool.h"
#include "executorch/executorch.hpp"
#include "tests/cxx/check.h"
#include "tests/feature_models/convolutions_cc.hpp"
#include "tests/feature_models/kv_cache_decoder_cc.hpp"

namespace models = tests::feature_models;

namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 10;

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

template <class Tensor>
std::vector<float> copy_of(const Tensor &tensor) {
  return {tensor.begin(), tensor.end()};
}

// Prefills a prompt and decodes tokens; returns all scores.
std::vector<float> decode(models::KvCacheDecoder &net) {
  const std::array<std::int64_t, 3> tokens = {3, 1, 4};
  const std::array<std::int64_t, 3> positions = {0, 1, 2};
  std::vector<float> scores;
  net.reset_state();
  auto prefilled = net.prefill({tokens, positions});
  if (!prefilled) {
    return scores;
  }
  scores = copy_of(*prefilled);
  for (std::int64_t position = 3; position < 3 + kCalls; position++) {
    const std::int64_t token[] = {position};
    const std::int64_t at[] = {position};
    auto decoded = net.decode({token, at});
    if (decoded) {
      scores.insert(scores.end(), decoded->begin(), decoded->end());
    }
  }
  return scores;
}

void test_each_thread_has_an_object() {
  auto net = models::KvCacheDecoder::create();
  CHECK(net);
  const std::vector<float> expected = decode(*net);
  CHECK(!expected.empty());
  const auto found = on_threads([](int) {
    auto own = models::KvCacheDecoder::create();
    return own ? decode(*own) : std::vector<float>();
  });
  for (const auto &scores : found) {
    CHECK(*scores == expected);
  }
}

void test_objects_move_to_threads() {
  auto net = models::KvCacheDecoder::create();
  CHECK(net);
  const std::vector<float> expected = decode(*net);
  std::vector<models::KvCacheDecoder> nets;
  for (int i = 0; i < kThreads; i++) {
    auto created = models::KvCacheDecoder::create();
    CHECK(created && decode(*created) == expected);
    nets.push_back(*std::move(created));
  }
  const auto found = on_threads([&nets](int i) {
    models::KvCacheDecoder own = std::move(nets[i]);
    return decode(own);
  });
  for (const auto &scores : found) {
    CHECK(*scores == expected);
  }
}

void test_threads_share_a_program() {
  auto program = executorch::Program::load(
      {tests_feature_models_kv_cache_decoder_program_data,
       tests_feature_models_kv_cache_decoder_program_size});
  CHECK(program);
  const auto loaded = on_threads([&program](int) {
    bool ok = true;
    for (int i = 0; i < kCalls; i++) {
      auto method = program->load_method(
          "prefill", tests_feature_models_kv_cache_decoder_registry);
      ok = ok && method && method->input_count() == 2;
    }
    return ok;
  });
  for (const auto &ok : loaded) {
    CHECK(*ok);
  }
}

// Runs the network in chunks on the threads of a pool.
std::vector<float> convolve(const et_parallel *parallel) {
  et_method_options options = {};
  options.parallel = parallel;
  auto net = models::Convolutions::create(options);
  if (!net) {
    return {};
  }
  std::vector<float> image(17 * 19 * 3);
  for (std::size_t i = 0; i < image.size(); i++) {
    image[i] = 0.01f * static_cast<float>(i % 97);
  }
  std::vector<float> found;
  for (int i = 0; i < kCalls; i++) {
    auto output = net->forward({image});
    if (output) {
      found = copy_of(*output);
    }
  }
  return found;
}

void test_each_thread_has_a_pool() {
  const std::vector<float> expected = convolve(nullptr);
  CHECK(!expected.empty());
  const auto found = on_threads([](int) {
    static et_cpu_pool pools[kThreads];
    static std::atomic<int> next{0};
    et_cpu_pool *pool = &pools[next++];
    std::vector<float> result;
    if (et_cpu_pool_create(pool, 2, nullptr) == ET_STATUS_OK) {
      result = convolve(&pool->parallel);
      et_cpu_pool_destroy(pool);
    }
    return result;
  });
  for (const auto &output : found) {
    CHECK(*output == expected);
  }
}

}  // namespace

int main() {
  test_each_thread_has_an_object();
  test_objects_move_to_threads();
  test_threads_share_a_program();
  test_each_thread_has_a_pool();
  return check_failures == 0 ? 0 : 1;
}
