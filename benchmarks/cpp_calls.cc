// Compares a call through the generated C++ class with the same call in C.
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "runtime/size/add_cc.hpp"

namespace {

constexpr int kRounds = 200;
constexpr int kCalls = 2000;

float a[9] = {1};
float b[9] = {2};
float sum = 0;

// Nanoseconds of CPU time of this thread.
double cpu_time() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// Nanoseconds of one of kCalls calls.
template <class Call>
double duration(const Call &call) {
  const double begin = cpu_time();
  for (int i = 0; i < kCalls; i++) {
    call();
  }
  return (cpu_time() - begin) / kCalls;
}

et_status call_c(add_forward_method method, et_error *error) {
  const float *result = nullptr;
  ET_RETURN_IF_ERROR(add_forward_set_input_0(method, a, error));
  ET_RETURN_IF_ERROR(add_forward_set_input_1(method, b, error));
  ET_RETURN_IF_ERROR(add_forward_execute(method, error));
  ET_RETURN_IF_ERROR(add_forward_get_output_0(method, &result, error));
  sum += result[0];
  return ET_STATUS_OK;
}

}  // namespace

int main() {
  static add_forward_memory memory;
  et_error error;
  add_forward_method method = {};
  auto net = runtime::size::Add::create();
  if (!net || add_forward_load(&memory, nullptr, &method, &error) != ET_STATUS_OK) {
    std::fprintf(stderr, "the model cannot be loaded\n");
    return 1;
  }
  double in_c = 1e9;
  double in_cpp = 1e9;
  for (int round = 0; round < kRounds; round++) {
    in_c = std::min(in_c, duration([&] { call_c(method, &error); }));
    in_cpp = std::min(in_cpp, duration([&] {
                        auto result = net->forward({a, b});
                        sum += (*result)[0];
                      }));
  }
  std::printf("C %.1f ns, C++ %.1f ns, difference %.1f ns, ratio %.3f (sum %g)\n",
              in_c, in_cpp, in_cpp - in_c, in_cpp / in_c,
              static_cast<double>(sum));
  add_forward_unload(method);
  return 0;
}
