// Tests programs and methods in executorch.hpp, and the errors for misuse.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "executorch/executorch.hpp"
#include "tests/cxx/check.h"
#include "tests/feature_models/two_models_cc.h"

namespace {

const et_registry &registry = tests_feature_models_encode_decode_registry;
const std::vector<float> rows(32, 0.5f);

et_span program_bytes() {
  return {tests_feature_models_encode_decode_program_data,
          tests_feature_models_encode_decode_program_size};
}

executorch::Result<executorch::Tensor<const float, 2>> encode(
    executorch::Method &method) {
  if (auto set = method.set_input(0, rows, {2, 16}); !set) {
    return set.error();
  }
  if (auto ran = method.execute(); !ran) {
    return ran.error();
  }
  return method.output<float, 2>(0);
}

void test_file_and_bytes_give_equal_outputs(const char *folder) {
  const std::string path = std::string(folder) + "/program.pte";
  std::FILE *file = std::fopen(path.c_str(), "wb");
  CHECK(file != nullptr);
  CHECK(std::fwrite(program_bytes().data, 1, program_bytes().size, file) ==
        program_bytes().size);
  std::fclose(file);

  auto borrowed = executorch::Program::load(program_bytes());
  CHECK(borrowed);
  CHECK(borrowed->method_count() == 2);
  CHECK(borrowed->method_name(2).empty());
  executorch::Program opened = *executorch::Program::open(path.c_str());
  auto first = borrowed->load_method("encode", registry);
  auto second = opened.load_method("encode", registry);
  CHECK(first && second);
  executorch::Program moved = std::move(opened);
  auto expected = encode(*first);
  auto found = encode(*second);
  CHECK(expected && found);
  CHECK(found->size() == 8);
  CHECK(std::memcmp(found->data(), expected->data(), 8 * sizeof(float)) == 0);
  CHECK(!opened.load_method("encode", registry));
}

void test_misuse_is_an_error() {
  auto missing = executorch::Program::open("no/such/file.pte");
  CHECK(!missing);
  CHECK(missing.error().status() == ET_STATUS_ACCESS_FAILED);
  const et_span truncated = {program_bytes().data, 100};
  auto damaged = executorch::Program::load(truncated);
  CHECK(!damaged);
  CHECK(damaged.error().status() == ET_STATUS_INVALID_PROGRAM);

  auto program = executorch::Program::load(program_bytes());
  auto unknown = program->load_method("forwards", registry);
  CHECK(!unknown);
  CHECK(unknown.error().status() == ET_STATUS_NOT_FOUND ||
        unknown.error().status() == ET_STATUS_INVALID_ARGUMENT);
  auto loaded = program->load_method("encode", registry);
  CHECK(!loaded->execute());
  CHECK(!loaded->set_input(0, std::vector<double>(32), {2, 16}));
  CHECK(!loaded->set_input(0, rows, {16, 2}));
  CHECK(!loaded->set_input(7, rows, {2, 16}));
  CHECK(encode(*loaded));
  CHECK((!loaded->output<float, 3>(0)));
  CHECK((!loaded->output<double, 2>(0)));
  executorch::Method moved = *std::move(loaded);
  CHECK(encode(moved));
  CHECK(loaded->execute().error().status() == ET_STATUS_INVALID_STATE);
}

}  // namespace

int main() {
  const char *folder = std::getenv("TEST_TMPDIR");
  test_file_and_bytes_give_equal_outputs(folder != nullptr ? folder : ".");
  test_misuse_is_an_error();
  return check_failures == 0 ? 0 : 1;
}
