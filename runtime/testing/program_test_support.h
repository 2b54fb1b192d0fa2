/* Fixtures, kernels and assertions for tests of programs and methods. */
#ifndef ET_RUNTIME_TESTING_PROGRAM_TEST_SUPPORT_H_
#define ET_RUNTIME_TESTING_PROGRAM_TEST_SUPPORT_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/hosted_method.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/testing/program_writer.h"

/* Remedy at the end of error messages about malformed programs. */
#define ET_TEST_EXPORT_AGAIN "; export the program again"

/* Returns a writable copy of tests/fixtures/<name>.pte, or of the file <name>
 * there. It is 64-byte aligned; release it with free(). A missing file ends
 * the test. */
uint8_t *et_test_read_fixture(const char *name, size_t *out_size);
uint8_t *et_test_read_fixture_file(const char *name, size_t *out_size);

/* Kernels and a backend for tests:
 *
 *   test::copy.out      tw>w    out = self, of equal size
 *   test::add.out       ttw>w   out = self + other
 *   test::assign.out    wt>w    self = other, of equal size
 *   test::fill.out      nw>w    all elements of out = the scalar
 *   test::sum.out       Tw>w    out[0] = sum of the tensors' first elements
 *   test::pair.out      tww>W   two copies of self
 *   test::put.out       mt>w    self[0] = other[0]
 *   test::put_both.out  mtww>W  the same, and two copies of other
 *   test::spread.out    tW>W    a copy of self in each tensor of a list
 *   test::count.out     ni>x    scalar + int
 *   test::less.out      ni>x    scalar < int
 *   test::fail.out      t       fails
 *   executorch_prim::et_copy_index.tensor, executorch_prim::et_view.default
 *   aten::add.out               test::add; ignores alpha
 *   backend "TestBackend"       output = sum of its two inputs */
extern const et_registry et_test_registry;

/* Writes out = copy(in). values[0] and values[1] have `count` floats each, and
 * are planned at offsets 0 and 32 of 64 bytes. */
void et_test_write_copy(et_program_writer *writer, int32_t count);

/* Writes out = a + b. values[0] to values[2] have four floats each. The planned
 * buffer has 64 bytes; the inputs are adjacent at in_offset, the output is at
 * out_offset, or they are ET_NOT_PLANNED. */
void et_test_write_add(et_program_writer *writer, int32_t in_offset,
                       int32_t out_offset);

/* Loads the program. Returns the status and the message. */
et_status et_test_load(et_span file, et_error *out_error);

/* Loads the program and its method "forward", then frees both. */
et_status et_test_load_method(et_span file, et_error *out_error);

/* Calls et_test_load_method with another registry. Asserts that it fails with
 * INVALID_ARGUMENT and this message. */
void et_test_expect_part_missing(et_span file, const et_registry *registry,
                                 const char *message);

/* Loads method "forward" of a finished writer, and asserts success. `program`
 * must outlive it. */
void et_test_open(et_program_writer *writer, et_program *program,
                  et_hosted_method *out_method);

/* Assert that loading fails with this status and a message that contains
 * `part`. */
void et_test_expect_refused(et_span file, et_status status, const char *part);
void et_test_expect_method_refused(et_span file, et_status status,
                                   const char *part);

/* Set a float input of rank 1, and return the first element of an output. */
void et_test_set_floats(et_method *method, size_t index, const float *data,
                        int32_t count);
float et_test_first_output(const et_method *method, size_t index);

/* Writes programs that test the memory plan check. All tensors have four
 * floats; place n is at offset 16 * n. */
extern et_program_writer et_plan_writer;

/* Starts a program. Its input is values[0], at place 0. */
int32_t et_plan_start(void);

/* Add a tensor and return its index, or add a call. */
int32_t et_plan_tensor(int32_t place);
void et_plan_copy(int32_t from, int32_t to);
void et_plan_add(int32_t a, int32_t b, int32_t out);

/* Assert that the program is rejected with a message that contains `part`, or
 * is accepted. */
void et_plan_refused(const char *part);
void et_plan_accepted(void);

#endif /* ET_RUNTIME_TESTING_PROGRAM_TEST_SUPPORT_H_ */
