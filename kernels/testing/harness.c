#include "kernels/testing/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const et_kernel_table et_all_kernels;

/* A memory block in the list that et_test_end frees. */
typedef struct block {
  struct block *next;
  void *data;
} block;

struct et_test {
  block *blocks;
  et_error error;
  et_random *random;
};

static void *take(et_test *test, size_t size) {
  block *b = malloc(sizeof(*b));
  assert_non_null(b);
  b->data = malloc(size > 0 ? size : 1);
  assert_non_null(b->data);
  b->next = test->blocks;
  test->blocks = b;
  memset(b->data, 0x7b, size);
  return b->data;
}

void et_test_draw_from(et_test *test, et_random *random) {
  test->random = random;
}

et_test *et_test_begin(void) {
  et_test *test = calloc(1, sizeof(*test));
  assert_non_null(test);
  return test;
}

void et_test_end(et_test *test) {
  while (test->blocks != NULL) {
    block *b = test->blocks;
    test->blocks = b->next;
    free(b->data);
    free(b);
  }
  free(test);
}

static et_value *new_value(et_test *test, et_value_tag tag) {
  et_value *value = take(test, sizeof(*value));
  memset(value, 0, sizeof(*value));
  value->tag = tag;
  return value;
}

static et_tensor *new_tensor(et_test *test, et_scalar_type dtype,
                             const int32_t *sizes, size_t rank) {
  et_tensor *tensor = take(test, sizeof(*tensor));
  uint8_t *dim_order = take(test, rank);
  memset(tensor, 0, sizeof(*tensor));
  tensor->sizes = take(test, rank * sizeof(int32_t));
  tensor->strides = take(test, rank * sizeof(int32_t));
  tensor->dim_order = dim_order;
  for (size_t d = 0; d < rank; d++) {
    tensor->sizes[d] = sizes[d];
    dim_order[d] = (uint8_t)d;
  }
  tensor->dtype = dtype;
  tensor->rank = (uint8_t)rank;
  tensor->dynamism = ET_SHAPE_DYNAMIC_BOUND;
  assert_int_equal(et_tensor_layout(sizes, dim_order, rank, tensor->strides,
                                    &tensor->numel, NULL),
                   ET_STATUS_OK);
  return tensor;
}

et_value *et_test_tensor(et_test *test, et_scalar_type dtype,
                         const int32_t *sizes, size_t rank,
                         const void *elements) {
  et_tensor *tensor = new_tensor(test, dtype, sizes, rank);
  tensor->capacity = tensor->numel * et_scalar_type_size((int32_t)dtype);
  tensor->data = take(test, tensor->capacity);
  if (elements != NULL && tensor->capacity > 0) {
    memcpy(tensor->data, elements, tensor->capacity);
  }
  et_value *value = new_value(test, ET_VALUE_TENSOR);
  value->u.as_tensor = tensor;
  return value;
}

et_value *et_test_floats(et_test *test, const int32_t *sizes, size_t rank,
                         const float *elements) {
  return et_test_tensor(test, ET_SCALAR_TYPE_FLOAT32, sizes, rank, elements);
}

et_value *et_test_random(et_test *test, const int32_t *sizes, size_t rank,
                         uint32_t seed) {
  et_value *value = et_test_floats(test, sizes, rank, NULL);
  float *elements = value->u.as_tensor->data;
  uint32_t state = seed * 2654435761u + 1u;
  for (size_t i = 0; i < value->u.as_tensor->numel; i++) {
    state = state * 1664525u + 1013904223u;
    elements[i] = (float)(int32_t)(state >> 16 & 0xff) / 64.0f - 2.0f;
  }
  return value;
}

et_value *et_test_none(et_test *test) { return new_value(test, ET_VALUE_NONE); }

et_value *et_test_int(et_test *test, int64_t number) {
  et_value *value = new_value(test, ET_VALUE_INT);
  value->u.as_int = number;
  return value;
}

et_value *et_test_bool(et_test *test, bool boolean) {
  et_value *value = new_value(test, ET_VALUE_BOOL);
  value->u.as_bool = boolean;
  return value;
}

et_value *et_test_double(et_test *test, double number) {
  et_value *value = new_value(test, ET_VALUE_DOUBLE);
  value->u.as_double = number;
  return value;
}

et_value *et_test_text(et_test *test, const char *text) {
  et_value *value = new_value(test, ET_VALUE_STRING);
  value->u.as_string = (et_string){text, strlen(text)};
  return value;
}

et_value *et_test_list(et_test *test, et_value_tag tag, et_value *const *items,
                       size_t count) {
  et_value **copy = take(test, count * sizeof(*copy));
  for (size_t i = 0; i < count; i++) {
    copy[i] = items[i];
  }
  et_value *value = new_value(test, tag);
  value->u.as_list.items = copy;
  value->u.as_list.size = count;
  return value;
}

et_value *et_test_ints(et_test *test, const int64_t *values, size_t count) {
  et_value **items = take(test, count * sizeof(*items));
  for (size_t i = 0; i < count; i++) {
    items[i] = et_test_int(test, values[i]);
  }
  return et_test_list(test, ET_VALUE_INT_LIST, items, count);
}

const float *et_test_data(const et_value *tensor) {
  return tensor->u.as_tensor->data;
}

static size_t count_quantized(const char *signature) {
  size_t count = 0;
  for (; *signature != '\0'; signature++) {
    count += *signature != '?' && *signature != '>' ? 1 : 0;
  }
  return count;
}

/* Returns true unless the first argument is a tensor of a dtype that the row
 * rejects. */
static bool takes_first(const et_kernel *kernel, et_value **args) {
  const et_value *first = args[0];
  return first->tag != ET_VALUE_TENSOR ||
         (kernel->rules[0].dtypes >> first->u.as_tensor->dtype & 1u) != 0;
}

/* Returns the kernel `name` for `count` arguments: the last row that accepts
 * the first argument, or the last row. Later rows are more general; earlier
 * ones support only some dtypes or layouts. */
static const et_kernel *find(const char *name, et_value **args, size_t count) {
  const et_string key = {name, strlen(name)};
  const et_kernel *row = et_kernel_table_find(&et_all_kernels, key);
  const et_kernel *kernel = row;
  const et_kernel *taking = NULL;
  for (; row != NULL; row = et_kernel_table_next(&et_all_kernels, row)) {
    kernel = row;
    taking = takes_first(row, args) ? row : taking;
  }
  kernel = taking != NULL ? taking : kernel;
  assert_non_null(kernel);
  assert_int_equal(count, count_quantized(kernel->signature));
  return kernel;
}

size_t et_test_scratch(const char *name, et_value **args, size_t count) {
  const et_kernel *kernel = find(name, args, count);
  et_arena arena = et_arena_measuring();
  void *state = NULL;
  et_prepare_context context = {.arena = &arena,
                                .scratch_bytes = kernel->scratch_bytes};
  if (kernel->prepare != NULL) {
    assert_int_equal(kernel->prepare(&context, args, &state), ET_STATUS_OK);
  }
  return context.scratch_bytes;
}

et_status et_test_call(et_test *test, const char *name, et_value **args,
                       size_t count) {
  const et_kernel *kernel = find(name, args, count);
  const size_t wanted = et_test_scratch(name, args, count);
  const size_t size = (wanted + 63) / 64 * 64;
  void *scratch = size > 0 ? aligned_alloc(64, size) : NULL;
  assert_true(size == 0 || scratch != NULL);
  et_error_clear(&test->error);
  et_kernel_context context = {.scratch = {scratch, wanted},
                               .error = &test->error,
                               .random = test->random};
  const et_status status = kernel->run(&context, args);
  free(scratch);
  return status;
}

void et_test_assert_refused(et_test *test, et_status status, const char *part) {
  assert_int_equal(status, ET_STATUS_INVALID_ARGUMENT);
  if (strstr(test->error.message, part) == NULL) {
    fail_msg("the message '%s' does not contain '%s'", test->error.message,
             part);
  }
}

void et_test_assert_floats(const et_value *tensor, const float *expected,
                           size_t count) {
  assert_int_equal(tensor->u.as_tensor->numel, count);
  const float *actual = et_test_data(tensor);
  for (size_t i = 0; i < count; i++) {
    const float difference = actual[i] - expected[i];
    const float size = expected[i] < 0 ? -expected[i] : expected[i];
    const float limit = 1e-5f + 1e-5f * size;
    if (!(difference <= limit && difference >= -limit)) {
      fail_msg("element %zu is %g, expected %g", i, (double)actual[i],
               (double)expected[i]);
    }
  }
}
