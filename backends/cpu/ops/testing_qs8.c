#include "backends/cpu/ops/testing_qs8.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

int32_t et_test_byte(const et_cpu_tensor *tensor, size_t index) {
  return tensor->dtype == ET_SCALAR_TYPE_INT8
             ? ((const int8_t *)tensor->data)[index]
             : ((const uint8_t *)tensor->data)[index];
}

void et_test_quantizing(et_test_op *test,
                        const et_cpu_output_quantization *words) {
  et_test_float(test, words->inverse);
  et_test_int(test, words->zero_point);
  et_test_int(test, words->low);
  et_test_int(test, words->high);
}

static double byte_of(const et_cpu_output_quantization *words, float steps) {
  const float byte = rintf(steps) + (float)words->zero_point;
  return fmin(fmax((double)byte, words->low), words->high);
}

double et_test_quantized(const et_cpu_output_quantization *words,
                         float number) {
  return byte_of(words, number * words->inverse);
}

double et_test_requantized(const et_cpu_output_quantization *words, int32_t sum,
                           float scale, float bias) {
  const float scaled = (float)sum * (scale * words->inverse);
  return byte_of(words, scaled + bias * words->inverse);
}

static et_test_place place_of(const int32_t *sizes, size_t index) {
  const size_t pixel = index / (size_t)sizes[3];
  const size_t line = pixel / (size_t)sizes[2];
  const et_test_place place = {
      (int32_t)(line / (size_t)sizes[1]), (int32_t)(line % (size_t)sizes[1]),
      (int32_t)(pixel % (size_t)sizes[2]), (int32_t)(index % (size_t)sizes[3])};
  return place;
}

void et_test_run_exact(et_test_op *test, const void *shape,
                       et_test_element *element) {
  const et_cpu_tensor *result = et_test_result(test);
  const size_t count = result->numel;
  double *expected = calloc(2 * count + 1, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const et_test_place place = place_of(result->sizes, i);
    expected[i] = element(test, shape, &place);
  }
  et_test_run(test, expected, expected + count);
  free(expected);
}
