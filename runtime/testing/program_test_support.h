/* What tests of programs and methods share: fixtures, kernels, short checks. */
#ifndef ET_RUNTIME_TESTING_PROGRAM_TEST_SUPPORT_H_
#define ET_RUNTIME_TESTING_PROGRAM_TEST_SUPPORT_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/hosted_method.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/testing/program_writer.h"

/* A copy of tests/fixtures/<name>.pte, or of the file <name> there, that may be
 * changed, aligned to 64 bytes. Ends the test when there is none. Freed with
 * free(). */
uint8_t *et_test_read_fixture(const char *name, size_t *out_size);
uint8_t *et_test_read_fixture_file(const char *name, size_t *out_size);

/* Kernels and a backend of the tests:
 *   test::copy.out  tw>w   out = self, of equal size
 *   test::add.out   ttw>w  out = self + other
 *   test::assign.out wt>w  self = other, of equal size
 *   test::fill.out  nw>w   all elements of out = the number
 *   test::sum.out   Tw>w   out[0] = sum of the first elements of the tensors
 *   test::pair.out  tww>W  two copies of self
 *   test::put.out   mt>w   self[0] = other[0]
 *   test::put_both.out
 *                   mtww>W the same, and two copies of other
 *   test::spread.out
 *                   tW>W   a copy of self in each tensor of a list
 *   test::count.out ni>x   number + int
 *   test::less.out  ni>x   whether number < int
 *   test::fail.out  t      fails
 *   executorch_prim::et_copy_index.tensor, executorch_prim::et_view.default
 *   aten::add.out   as test::add, with alpha ignored
 *   backend "TestBackend": its output = sum of its two inputs */
extern const et_registry et_test_registry;

/* Writes out = copy(in): values[0] and values[1], `count` floats each, planned
 * at 0 and 32 of 64 bytes. */
void et_test_write_copy(et_program_writer *writer, int32_t count);

/* Writes out = a + b: values[0] to values[2], four floats each, inputs one behind the
 * other, in 64 bytes; they and the output at an offset or ET_NOT_PLANNED. */
void et_test_write_add(et_program_writer *writer, int32_t in_offset,
                       int32_t out_offset);

/* Loads the program; the status and its message. */
et_status et_test_load(et_span file, et_error *out_error);

/* Loads program and method "forward", then frees it. */
et_status et_test_load_method(et_span file, et_error *out_error);

/* As et_test_load_method, with another registry: asserts that this fails with
 * INVALID_ARGUMENT and that message. */
void et_test_expect_part_missing(et_span file, const et_registry *registry,
                                 const char *message);

/* Loads method "forward" of a finished writer, which must go well. `program`
 * must outlive it. */
void et_test_open(et_program_writer *writer, et_program *program,
                  et_hosted_method *out_method);

/* Asserts that loading fails with that status and a message that has `part`. */
void et_test_expect_refused(et_span file, et_status status, const char *part);
void et_test_expect_method_refused(et_span file, et_status status,
                                   const char *part);

/* Sets a one-dimensional float input, and the first element of an output. */
void et_test_set_floats(et_method *method, size_t index, const float *data,
                        int32_t count);
float et_test_first_output(const et_method *method, size_t index);

#endif /* ET_RUNTIME_TESTING_PROGRAM_TEST_SUPPORT_H_ */
