/* Fixtures for tests of int8 ops. */
#ifndef BACKENDS_CPU_OPS_TESTING_QS8_H_
#define BACKENDS_CPU_OPS_TESTING_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/ops/testing.h"

/* Returns element `index` of an int8 or uint8 tensor. */
int32_t et_test_byte(const et_cpu_tensor *tensor, size_t index);

/* Adds the attributes of an output quantization. */
void et_test_quantizing(et_test_op *test,
                        const et_cpu_output_quantization *words);

/* Quantizes a real number. */
double et_test_quantized(const et_cpu_output_quantization *words, float number);

/* Requantizes an accumulator. */
double et_test_requantized(const et_cpu_output_quantization *words, int32_t sum,
                           float scale, float bias);

/* Indices of an element of an output, [batch][y][x][channel]. */
typedef struct et_test_place {
  int32_t image, y, x, channel;
} et_test_place;

typedef double et_test_element(const et_test_op *test, const void *shape,
                               const et_test_place *place);

/* Runs the op and checks that each element equals the result of `element` exactly. */
void et_test_run_exact(et_test_op *test, const void *shape,
                       et_test_element *element);

#endif /* BACKENDS_CPU_OPS_TESTING_QS8_H_ */
