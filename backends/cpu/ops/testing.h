/* Test harness for op types. Runs an op on random tensors, with every instruction set that is
 * linked and available. */
#ifndef BACKENDS_CPU_OPS_TESTING_H_
#define BACKENDS_CPU_OPS_TESTING_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/ops/op.h"
#include "backends/cpu/runtime/isa.h"

#define ET_TEST_TENSORS 24
#define ET_TEST_ATTRIBUTES 192

typedef struct et_test_op {
  et_cpu_op op;
  et_cpu_tensor tensors[ET_TEST_TENSORS];
  et_cpu_tensor *list[ET_TEST_TENSORS];
  uint32_t attributes[ET_TEST_ATTRIBUTES];
} et_test_op;

/* Return the next pseudo-random number: below `count`, or in [-1, 1). */
size_t et_test_below(size_t count);
float et_test_number(void);

/* Returns the value of a float16 or bfloat16. */
double et_test_half(uint16_t bits, bool is_bfloat);

/* Returns an element of a tensor. */
double et_test_at(const et_cpu_tensor *tensor, size_t index);

void et_test_begin(et_test_op *test, const et_backend_part *part);
void et_test_end(et_test_op *test);

/* Add a tensor in memory of exactly its size. Floats are initialized with random values,
 * other types with random bytes. Add inputs first, then outputs, then workspaces. */
void *et_test_input(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                    const int32_t *sizes);
void *et_test_output(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                     const int32_t *sizes);
void *et_test_workspace(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                        const int32_t *sizes);

void et_test_int(et_test_op *test, int32_t value);
void et_test_float(et_test_op *test, float value);

/* Returns output 0. */
et_cpu_tensor *et_test_result(et_test_op *test);

et_status et_test_check(et_test_op *test, et_error *error);

/* Checks that the op is rejected with a message that contains `part`. */
void et_test_refused(et_test_op *test, const char *part);

/* Returns the first instruction set that is linked and supported, for tests that use only one.
 * Builds with --//backends/cpu:isa link only some. */
uint8_t et_test_isa(void);

/* Whether the instruction set has no fused multiply-add. */
bool et_test_rounds_twice(int isa);

/* Runs the op with every instruction set, once on one thread and once in chunks in reverse order.
 * Output 0 must be bitwise equal in both runs, across instruction sets with a fused multiply-add,
 * and across those without one. Element i must be within margin[i] of expected[i]. */
void et_test_run(et_test_op *test, const double *expected,
                 const double *margin);

/* Checks that both ops give bitwise equal results with each instruction set. The first op runs in
 * chunks in reverse order. */
void et_test_same_bits(et_test_op *test, et_test_op *other);

/* Compares output `output` of the first op with output 0 of the other. */
void et_test_same_bits_of(et_test_op *test, size_t output, et_test_op *other);

/* Copies a tensor from the other op. */
void et_test_copy(et_test_op *test, size_t index, const et_test_op *other);

/* Expected results of elementwise instructions. */

/* Returns the result of an et_cpu_opcode for a and b. The third operand of WHERE is a. */
double et_test_elementwise_result(uint32_t opcode, double a, double b);

#endif /* BACKENDS_CPU_OPS_TESTING_H_ */
