/* Tests that the sizes in generated headers equal those that the runtime
 * measures. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/digits_cc.h"
#include "models/mobilenet_cc.h"
#include "models/mobilenet_cpu_cc.h"
#include "tests/feature_models/convolutions_cc.h"
#include "tests/feature_models/delegated_cc.h"
#include "tests/feature_models/two_models_cc.h"

static void expect(const uint8_t *data, size_t size,
                   const et_registry *registry, const char *name,
                   size_t method_bytes, size_t scratch_bytes) {
  const et_span file = {data, size};
  et_program program;
  et_method_requirements needed;
  assert_int_equal(et_program_load(file, &program, NULL), ET_STATUS_OK);
  assert_int_equal(
      et_method_measure(&program, name, registry, NULL, &needed, NULL),
      ET_STATUS_OK);
  assert_int_equal(needed.method_bytes, method_bytes);
  assert_int_equal(needed.scratch_bytes, scratch_bytes);
}

#define EXPECT(model, upper, name)                                            \
  expect(model##_program_data, model##_program_size, &model##_registry, name, \
         upper##_METHOD_BYTES, upper##_SCRATCH_BYTES)

static void test_header_states_the_measured_memory(void **state) {
  (void)state;
  EXPECT(models_digits, MODELS_DIGITS_FORWARD, "forward");
  EXPECT(models_mobilenet, MODELS_MOBILENET_FORWARD, "forward");
  EXPECT(models_mobilenet_cpu, MODELS_MOBILENET_CPU_FORWARD, "forward");
  EXPECT(tests_feature_models_convolutions,
         TESTS_FEATURE_MODELS_CONVOLUTIONS_FORWARD, "forward");
  EXPECT(tests_feature_models_delegated, TESTS_FEATURE_MODELS_DELEGATED_FORWARD,
         "forward");
  EXPECT(tests_feature_models_dynamic_batch,
         TESTS_FEATURE_MODELS_DYNAMIC_BATCH_FORWARD, "forward");
  EXPECT(tests_feature_models_encode_decode,
         TESTS_FEATURE_MODELS_ENCODE_DECODE_ENCODE, "encode");
  EXPECT(tests_feature_models_encode_decode,
         TESTS_FEATURE_MODELS_ENCODE_DECODE_DECODE, "decode");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_header_states_the_measured_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
