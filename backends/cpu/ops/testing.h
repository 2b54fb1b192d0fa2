/* What tests of op kinds are written with: an op over random tensors, run on
 * every instruction set that is linked and that this machine has. */
#ifndef BACKENDS_CPU_OPS_TESTING_H_
#define BACKENDS_CPU_OPS_TESTING_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/ops/op.h"

#define ET_TEST_TENSORS 24
#define ET_TEST_ATTRIBUTES 192

typedef struct et_test_op {
  et_cpu_op op;
  et_cpu_tensor tensors[ET_TEST_TENSORS];
  et_cpu_tensor *list[ET_TEST_TENSORS];
  uint32_t attributes[ET_TEST_ATTRIBUTES];
} et_test_op;

/* The next pseudo-random number: below `count`, and in [-1, 1). */
size_t et_test_below(size_t count);
float et_test_number(void);

/* What a float16 or a bfloat16 stands for. */
double et_test_half(uint16_t bits, bool is_bfloat);

/* An element of a tensor. */
double et_test_at(const et_cpu_tensor *tensor, size_t index);

void et_test_begin(et_test_op *test, const et_backend_part *part);
void et_test_end(et_test_op *test);

/* Adds a tensor in memory of exactly its size. Floats are random numbers, other
 * types random bytes. Inputs come first, then outputs, then workspaces. */
void *et_test_input(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                    const int32_t *sizes);
void *et_test_output(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                     const int32_t *sizes);
void *et_test_workspace(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                        const int32_t *sizes);

void et_test_int(et_test_op *test, int32_t value);
void et_test_float(et_test_op *test, float value);

/* Output 0. */
et_cpu_tensor *et_test_result(et_test_op *test);

et_status et_test_check(et_test_op *test, et_error *error);

/* That the check refuses the op with a message that has `part` in it. */
void et_test_refused(et_test_op *test, const char *part);

bool et_test_has(et_cpu_isa isa);

/* Runs the op on every instruction set, on one thread and in chunks that come
 * in reverse order: output 0 has the same bits both times, and on every
 * instruction set with a fused multiply-add. It has to be expected[i] within
 * margin[i]. */
void et_test_run(et_test_op *test, const double *expected,
                 const double *margin);

/* That two ops give the same bits on each instruction set, the first in chunks
 * that come in reverse order. */
void et_test_same_bits(et_test_op *test, et_test_op *other);

/* That output `output` of the first has those of output 0 of the other. */
void et_test_same_bits_of(et_test_op *test, size_t output, et_test_op *other);

/* Sets a tensor of floats to the numbers of the other op's. */
void et_test_copy(et_test_op *test, size_t index, const et_test_op *other);

#endif /* BACKENDS_CPU_OPS_TESTING_H_ */
