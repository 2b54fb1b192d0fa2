// Adds two tensors, like add.c. text_size_test compares the sizes of both programs.
#include <cstdio>

#include "tests/cxx/add_cc.hpp"

namespace {

executorch::Result<float> add() {
  static const float x[9] = {1};
#ifdef ADD_ON_HEAP
  auto net = tests::cxx::Add::create();
#else
  static tests::cxx::Add::Memory memory;
  auto net = tests::cxx::Add::create(memory);
#endif
  if (!net) {
    return net.error();
  }
  auto sum = net->forward({x, x});
  if (!sum) {
    return sum.error();
  }
  return (*sum)[0];
}

}  // namespace

int main() {
  auto sum = add();
  if (!sum) {
    std::printf("%s: %s\n", sum.error().name(), sum.error().message());
    return 1;
  }
  std::printf("%g\n", static_cast<double>(*sum));
  return 0;
}
