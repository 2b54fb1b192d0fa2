// Tests that generated C++ classes match the C functions, and report misuse.
#include <array>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/cxx/check.h"
#ifdef MODELS_IN_SHARED_LIBRARY
#include "tests/cxx/shared_models.hpp"
#else
#include "tests/feature_models/integer_inputs_cc.hpp"
#include "tests/feature_models/kv_cache_decoder_cc.hpp"
#include "tests/feature_models/two_models_cc.hpp"
#endif

namespace models = tests::feature_models;

namespace {

template <class T>
bool same_bytes(const T *a, const T *b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++) {
    values[i] = 0.25f * static_cast<float>(i) - 1;
  }
  return values;
}

void test_methods_match_c() {
  static tests_feature_models_encode_decode_encode_memory memory;
  const std::vector<float> rows = counted(32);
  tests_feature_models_encode_decode_encode_method encoder = {};
  const float *expected = nullptr;
  CHECK(tests_feature_models_encode_decode_encode_load(
            &memory, nullptr, &encoder, nullptr) == ET_STATUS_OK);
  CHECK(tests_feature_models_encode_decode_encode_set_rows(
            encoder, rows.data(), nullptr) == ET_STATUS_OK);
  CHECK(tests_feature_models_encode_decode_encode_execute(encoder, nullptr) == ET_STATUS_OK);
  CHECK(tests_feature_models_encode_decode_encode_get_output_0(
            encoder, &expected, nullptr) == ET_STATUS_OK);

  auto net = models::EncodeDecode::create();
  CHECK(net);
  auto codes = net->encode({rows});
  CHECK(codes);
  CHECK((codes->sizes() == std::array<std::int32_t, 2>{2, 4}));
  CHECK(codes->size() == 8);
  CHECK(same_bytes(codes->data(), expected, 8));
  auto decoded = net->decode({*codes});
  CHECK(decoded);
  CHECK(decoded->size() == 32);
  tests_feature_models_encode_decode_encode_unload(encoder);
}

void test_objects_in_own_memory_move() {
  static models::EncodeDecode::Memory memory;
  auto created = models::EncodeDecode::create(memory);
  CHECK(created);
  models::EncodeDecode first = *std::move(created);
  const float rows[2][16] = {{1, 2, 3}};
  models::EncodeDecode second = std::move(first);
  CHECK(second.encode({rows}));
  auto failed = first.encode({rows});
  CHECK(!failed);
  CHECK(failed.error().status() == ET_STATUS_INVALID_STATE);
  first = std::move(second);
  CHECK(first.encode({rows}));
  static_assert(!std::is_copy_constructible_v<models::EncodeDecode>);
}

void test_wrong_size_names_the_input() {
  auto net = models::EncodeDecode::create();
  const std::vector<float> rows(31);
  auto failed = net->encode({rows});
  CHECK(!failed);
  CHECK(failed.error().status() == ET_STATUS_INVALID_ARGUMENT);
  CHECK(std::strcmp(failed.error().message(), "rows: 31 elements; pass 32") ==
        0);
  CHECK(std::strcmp(failed.error().name(), "INVALID_ARGUMENT") == 0);
}

void test_dynamic_size_is_deduced() {
  auto net = models::DynamicBatch::create();
  const std::vector<float> three = counted(3 * 6);
  auto logits = net->forward({three});
  CHECK(logits);
  CHECK((logits->sizes() == std::array<std::int32_t, 2>{3, 3}));
  auto stated = net->forward({{three, {3, 6}}});
  CHECK(stated);
  const std::vector<float> nine = counted(9 * 6);
  auto failed = net->forward({nine});
  CHECK(!failed);
  CHECK(failed.error().status() == ET_STATUS_NOT_SUPPORTED);
  CHECK(std::strncmp(failed.error().message(), "x: ", 3) == 0);
  CHECK(std::strstr(failed.error().message(), "inputs[") == nullptr);
}

void test_wrong_count_of_a_dynamic_input() {
  auto net = models::DynamicBatch::create();
  const std::vector<float> part = counted(3 * 6 + 1);
  auto failed = net->forward({part});
  CHECK(!failed);
  CHECK(failed.error().status() == ET_STATUS_INVALID_ARGUMENT);
  CHECK(std::strcmp(failed.error().message(),
                    "x: 19 elements; pass a multiple of 6") == 0);
  const std::vector<float> three = counted(3 * 6);
  failed = net->forward({{three, {2, 6}}});
  CHECK(!failed);
  CHECK(std::strcmp(failed.error().message(), "x: 18 elements; pass 12") == 0);
  for (const std::int32_t size : {-1, INT32_MAX}) {
    failed = net->forward({{three, {size, size}}});
    CHECK(!failed);
    CHECK(std::strncmp(failed.error().message(), "x: ", 3) == 0);
  }
  CHECK(net->forward({three}));
}

void test_integer_inputs() {
  auto net = models::IntegerInputs::create();
  const std::vector<float> x = counted(7 * 3);
  auto window = net->forward({x, 1, 2, 5});
  CHECK(window);
  CHECK((window->sizes() == std::array<std::int32_t, 2>{2, 2}));
  auto failed = net->forward({x, 4, 2, 5});
  CHECK(!failed);
  CHECK(std::strncmp(failed.error().message(), "start: ", 7) == 0);
#ifndef ET_MESSAGES_CODES
  CHECK(std::strcmp(failed.error().message(),
                    "start: 4 is out of range; pass 0 to 3") == 0);
#endif
}

void test_methods_share_state() {
  auto net = models::KvCacheDecoder::create();
  CHECK(net);
  const std::array<std::int64_t, 3> tokens = {3, 1, 4};
  const std::array<std::int64_t, 3> positions = {0, 1, 2};
  const std::int64_t token[] = {1};
  const std::int64_t position[] = {3};
  CHECK(net->prefill({tokens, positions}));
  auto scores = net->decode({token, position});
  CHECK(scores);
  const std::vector<float> with_cache(scores->begin(), scores->end());
  net->reset_state();
  scores = net->decode({token, position});
  CHECK(scores);
  CHECK(!same_bytes(scores->data(), with_cache.data(), with_cache.size()));
}

}  // namespace

int main() {
  test_methods_match_c();
  test_objects_in_own_memory_move();
  test_wrong_size_names_the_input();
  test_dynamic_size_is_deduced();
  test_wrong_count_of_a_dynamic_input();
  test_integer_inputs();
  test_methods_share_state();
  return check_failures == 0 ? 0 : 1;
}
