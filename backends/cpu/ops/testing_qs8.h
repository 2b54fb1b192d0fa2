/* What tests of kinds that compute with bytes are written with. */
#ifndef BACKENDS_CPU_OPS_TESTING_QS8_H_
#define BACKENDS_CPU_OPS_TESTING_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/ops/testing.h"

/* Element `index` of a tensor of bytes. */
int32_t et_test_byte(const et_cpu_tensor *tensor, size_t index);

/* The attributes that say how bytes are written. */
void et_test_quantizing(et_test_op *test,
                        const et_cpu_output_quantization *words);

/* The byte for a number, as operators of quantized programs compute it. */
double et_test_quantized(const et_cpu_output_quantization *words, float number);

/* The byte for a sum of products. */
double et_test_requantized(const et_cpu_output_quantization *words, int32_t sum,
                           float scale, float bias);

/* An element of an output [batch][y][x][channel]. */
typedef struct et_test_place {
  int32_t image, y, x, channel;
} et_test_place;

typedef double et_test_element(const et_test_op *test, const void *shape,
                               const et_test_place *place);

/* Runs the op, and expects exactly what `element` says. */
void et_test_run_exact(et_test_op *test, const void *shape,
                       et_test_element *element);

#endif /* BACKENDS_CPU_OPS_TESTING_QS8_H_ */
