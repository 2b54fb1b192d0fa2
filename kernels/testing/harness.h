/* Builds a kernel's arguments in tests, and calls the kernel as a method
 * would. */
#ifndef ET_KERNELS_TESTING_HARNESS_H_
#define ET_KERNELS_TESTING_HARNESS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"

/* Owns all values of a test. Each tensor has its own memory block of exactly
 * its size, so that a sanitizer detects any access outside it. */
typedef struct et_test et_test;

et_test *et_test_begin(void);
void et_test_end(et_test *test);

/* Sets the random state of later calls, which otherwise have none. */
void et_test_draw_from(et_test *test, et_random *random);

/* A shape as two arguments: ET_SHAPE(2, 3). */
#define ET_SHAPE(...)             \
  (const int32_t[]){__VA_ARGS__}, \
      sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)
#define ET_SCALAR_SHAPE NULL, 0

/* Creates a row-major tensor with a copy of `elements`, or with garbage if it
 * is NULL. The sizes here are upper bounds for later changes. */
et_value *et_test_tensor(et_test *test, et_scalar_type dtype,
                         const int32_t *sizes, size_t rank,
                         const void *elements);

/* Creates a float32 tensor, with elements or as an output. */
et_value *et_test_floats(et_test *test, const int32_t *sizes, size_t rank,
                         const float *elements);

/* Creates a float32 tensor of small positive and negative values. The values
 * depend only on the seed. */
et_value *et_test_random(et_test *test, const int32_t *sizes, size_t rank,
                         uint32_t seed);

et_value *et_test_none(et_test *test);
et_value *et_test_int(et_test *test, int64_t value);
et_value *et_test_bool(et_test *test, bool value);
et_value *et_test_double(et_test *test, double value);
et_value *et_test_text(et_test *test, const char *text);
et_value *et_test_list(et_test *test, et_value_tag tag, et_value *const *items,
                       size_t count);
et_value *et_test_ints(et_test *test, const int64_t *values, size_t count);
#define ET_INTS(test, ...)                           \
  et_test_ints(test, (const int64_t[]){__VA_ARGS__}, \
               sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

const float *et_test_data(const et_value *tensor);

/* Returns the scratch size that the call requests when it is prepared, or that
 * of the kernel's row in et_all_kernels. */
size_t et_test_scratch(const char *name, et_value **args, size_t count);
#define ET_SCRATCH(name, ...)                        \
  et_test_scratch(name, (et_value *[]){__VA_ARGS__}, \
                  sizeof((et_value *[]){__VA_ARGS__}) / sizeof(et_value *))

/* Checks the number of arguments, then calls the kernel with exactly that
 * scratch. */
et_status et_test_call(et_test *test, const char *name, et_value **args,
                       size_t count);
#define ET_CALL(test, name, ...)                        \
  et_test_call(test, name, (et_value *[]){__VA_ARGS__}, \
               sizeof((et_value *[]){__VA_ARGS__}) / sizeof(et_value *))

/* Asserts that a call fails with INVALID_ARGUMENT and a message that contains
 * `part`. */
void et_test_assert_refused(et_test *test, et_status status, const char *part);

/* Asserts that float32 elements differ by at most 1e-5, absolute and
 * relative. */
void et_test_assert_floats(const et_value *tensor, const float *expected,
                           size_t count);

#endif /* ET_KERNELS_TESTING_HARNESS_H_ */
