// Tests programs and methods in executorch.hpp, and the errors for misuse.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "executorch/executorch.hpp"
#include "tests/cxx/check.h"
#include "tests/feature_models/external_weights/embedded_cc.h"
#include "tests/feature_models/kv_cache_decoder_cc.hpp"
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

std::string write_file(const char *folder, const char *name, et_span bytes) {
  std::string path = std::string(folder) + "/" + name;
  std::FILE *file = std::fopen(path.c_str(), "wb");
  CHECK(file != nullptr);
  CHECK(std::fwrite(bytes.data, 1, bytes.size, file) == bytes.size);
  std::fclose(file);
  return path;
}

void test_file_and_bytes_give_equal_outputs(const char *folder) {
  const std::string path = write_file(folder, "program.pte", program_bytes());
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

void test_external_weights_are_loaded_and_checked(const char *folder) {
  const et_span bytes = {one_row_program_data, one_row_program_size};
  const et_span weights = {one_row_weights_data, ONE_ROW_WEIGHTS_BYTES};
  std::vector<std::uint64_t> copy(weights.size / sizeof(std::uint64_t) + 2);
  auto *const wrong = reinterpret_cast<std::uint8_t *>(
      copy.data() + (reinterpret_cast<std::uintptr_t>(copy.data()) / 8) % 2);
  std::memcpy(wrong, weights.data, weights.size);
  wrong[weights.size - 1] ^= 1;
  const auto file = write_file(folder, "one_row.pte", bytes);
  const auto weights_file = write_file(folder, "one_row.ptd", weights);

  auto borrowed = executorch::Program::load(bytes, weights);
  auto opened = executorch::Program::open(file.c_str(), weights_file.c_str());
  CHECK(borrowed && opened);
  executorch::Program moved = *std::move(opened);
  auto first = borrowed->load_method("forward", one_row_registry);
  auto second = moved.load_method("forward", one_row_registry);
  CHECK(first && second);
  const std::vector<float> x(ONE_ROW_FORWARD_INPUT_X_COUNT, 1.5f);
  for (executorch::Method *method : {&*first, &*second}) {
    CHECK(method->set_input(
        0, x,
        {ONE_ROW_FORWARD_INPUT_X_SIZE_0, ONE_ROW_FORWARD_INPUT_X_SIZE_1}));
    CHECK(method->execute());
  }
  auto expected = first->output<float, 2>(0);
  auto found = second->output<float, 2>(0);
  CHECK(expected && found);
  CHECK(std::memcmp(found->data(), expected->data(),
                    ONE_ROW_FORWARD_OUTPUT_0_COUNT * sizeof(float)) == 0);

  auto changed = executorch::Program::load(bytes, {wrong, weights.size});
  CHECK(!changed);
  CHECK(changed.error().status() == ET_STATUS_INVALID_EXTERNAL_DATA);
  CHECK(!executorch::Program::open(file.c_str(), "no/such/file.ptd"));
}

template <class T>
void check_message(const executorch::Result<T> &result,
                   const std::string &start) {
  CHECK(!result);
#ifndef ET_MESSAGES_CODES
  const std::string message = result.error().message();
  CHECK(message.substr(0, start.size()) ==
        start.substr(0, ET_ERROR_MESSAGE_BYTES - 1));
#else
  (void)start;
#endif
}

void test_errors_name_the_file(const char *folder) {
  const et_span bytes = {one_row_program_data, one_row_program_size};
  const et_span weights = {one_row_weights_data, ONE_ROW_WEIGHTS_BYTES};
  const auto program = write_file(folder, "a.pte", bytes);
  const auto data = write_file(folder, "a.ptd", weights);
  const auto short_file = write_file(folder, "b.pte", {bytes.data, 3});
  const auto part = write_file(folder, "c.pte", {bytes.data, 64});
  const auto part_of_data = write_file(folder, "c.ptd", {weights.data, 64});
  using executorch::Program;
  check_message(Program::open(short_file.c_str()),
                short_file + ": a file of 3 bytes is too short; pass ");
  check_message(Program::open(part.c_str()),
                part + ": program.execution_plan[0]: the offset ");
  check_message(Program::open(data.c_str()),
                data + ": bytes 46 54 30 31 are not the identifier 'ET12'; ");
  check_message(Program::open(part.c_str(), data.c_str()),
                part + ": program.execution_plan[0]: the offset ");
  check_message(Program::open(program.c_str(), part_of_data.c_str()),
                part_of_data + ": header: ");
  check_message(Program::open(program.c_str(), program.c_str()),
                program + ": bytes 45 54 31 32 are not the identifier 'FT01'");
}

void test_methods_share_state() {
  namespace models = tests::feature_models;
  const et_registry &kernels = tests_feature_models_kv_cache_decoder_registry;
  const std::vector<std::int64_t> tokens = {3, 49, 0};
  const std::vector<std::int64_t> positions = {0, 1, 2};
  const std::int64_t token[] = {17};
  const std::int64_t position[] = {3};
  auto net = models::KvCacheDecoder::create();
  CHECK(net && net->prefill({{tokens, {1, 3}}, positions}));
  auto expected = net->decode({token, position});
  CHECK(expected);

  auto program = executorch::Program::load(
      {tests_feature_models_kv_cache_decoder_program_data,
       tests_feature_models_kv_cache_decoder_program_size});
  auto prefill = program->load_method("prefill", kernels);
  auto decode = program->load_method_sharing("decode", kernels, *prefill);
  CHECK(prefill && decode);
  CHECK(prefill->set_input(0, tokens, {1, 3}));
  CHECK(prefill->set_input(1, positions, {3}));
  CHECK(prefill->execute());
  CHECK(decode->set_input(0, token, 1, {1, 1}));
  CHECK(decode->set_input(1, position, 1, {1}));
  CHECK(decode->execute());
  auto scores = decode->output<float, 3>(0);
  CHECK(scores && scores->size() == expected->size());
  CHECK(std::memcmp(scores->data(), expected->data(),
                    scores->size() * sizeof(float)) == 0);

  auto other = executorch::Program::load(program_bytes());
  auto encoder = other->load_method("encode", registry);
  auto failed = program->load_method_sharing("decode", kernels, *encoder);
  CHECK(!failed);
  CHECK(failed.error().status() == ET_STATUS_INVALID_ARGUMENT);
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
  const char *temporary = std::getenv("TEST_TMPDIR");
  const char *folder = temporary != nullptr ? temporary : ".";
  test_file_and_bytes_give_equal_outputs(folder);
  test_external_weights_are_loaded_and_checked(folder);
  test_errors_name_the_file(folder);
  test_methods_share_state();
  test_misuse_is_an_error();
  return check_failures == 0 ? 0 : 1;
}
