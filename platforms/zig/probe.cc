// Uses the C and C++ libraries as programs do, so that Zig builds all that they need.
#include <cmath>
#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  const std::vector<double> results = {std::exp(argc)};
  return std::printf("%s %f\n", argv[0], results[0]) < 0;
}
