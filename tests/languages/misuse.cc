// Prints the message of each misuse in C++: `case: STATUS: message`.
#include <cstdio>
#include <utility>
#include <vector>

#include "executorch/executorch.hpp"
#include "tests/languages/feature_models_external_weights_one_row_cc.hpp"
#include "tests/languages/feature_models_integer_inputs_cc.hpp"

namespace {

using OneRow = tests::languages::FeatureModelsExternalWeightsOneRow;
using Window = tests::languages::FeatureModelsIntegerInputs;

template <class T>
void show(const char *name, const executorch::Result<T> &result) {
  std::printf("%s: %s: %s\n", name, result ? "OK" : result.error().name(),
              result ? "" : result.error().message());
}

void run_with_wrong_inputs() {
  auto net = Window::create();
  const std::vector<float> x(27);
  show("size", net->forward({x, 0, 2, 5}));
  const std::vector<float> rows(20);
  show("count", net->forward({rows, 0, 2, 5}));
  const std::vector<float> six(18);
  show("integer", net->forward({six, 4, 2, 5}));
  Window moved = *std::move(net);
  show("moved", net->forward({six, 0, 2, 5}));
}

void write_file(const char *name, et_span bytes) {
  std::FILE *file = std::fopen(name, "wb");
  if (file != nullptr) {
    std::fwrite(bytes.data, 1, bytes.size, file);
    std::fclose(file);
  }
}

void load_wrong_files(const char *program_path, const char *weights_path) {
  using executorch::Program;
  executorch::Error error;
  et_file program = {};
  et_file weights = {};
  show("missing", Program::open("missing.pte"));
  if (et_file_open(program_path, &program, error.get()) != ET_STATUS_OK ||
      et_file_open(weights_path, &weights, error.get()) != ET_STATUS_OK) {
    return;
  }
  write_file("short.pte", {program.bytes.data, 2});
  write_file("part.pte", {program.bytes.data, 64});
  write_file("part.ptd", {weights.bytes.data, 64});
  write_file("net.pte", program.bytes);
  write_file("net.ptd", weights.bytes);
  show("short", Program::open("short.pte"));
  show("truncated program", Program::open("part.pte", "net.ptd"));
  show("truncated weights", Program::open("net.pte", "part.ptd"));
  show("no program", Program::open("net.ptd"));
  auto net = OneRow::create(program.bytes, weights.bytes);
  const std::vector<float> seven(7);
  show("fixed count", net->forward({seven}));
  et_file_close(&program);
  et_file_close(&weights);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    return 2;
  }
  run_with_wrong_inputs();
  load_wrong_files(argv[1], argv[2]);
  return 0;
}
