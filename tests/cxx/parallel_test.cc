// Tests objects of a generated class on several threads that each have a thread pool.
#include <thread>
#include <vector>

#include "backends/cpu/threads/pool.h"
#include "executorch/executorch.hpp"
#include "tests/cxx/check.h"
#include "tests/feature_models/convolutions_cc.hpp"

namespace models = tests::feature_models;

namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 10;

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
      found.assign(output->begin(), output->end());
    }
  }
  return found;
}

void test_each_thread_has_a_pool() {
  static et_cpu_pool pools[kThreads];
  const std::vector<float> expected = convolve(nullptr);
  CHECK(!expected.empty());
  std::vector<std::vector<float>> found(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&found, i] {
      if (et_cpu_pool_create(&pools[i], 2, nullptr) == ET_STATUS_OK) {
        found[i] = convolve(&pools[i].parallel);
        et_cpu_pool_destroy(&pools[i]);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const std::vector<float> &output : found) {
    CHECK(output == expected);
  }
}

}  // namespace

int main() {
  test_each_thread_has_a_pool();
  return check_failures == 0 ? 0 : 1;
}
