/* The mapping demo's payload, arithmetic and reports, and malformed payloads
 * and arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "backends/mapping_demo/handle.h"
#include "backends/mapping_demo/mapping_demo.h"

static const et_backend *const demo = &et_mapping_demo_backend;

/* Convolves a 2 x 2 picture with one window of 2 x 2 and padding 1, which gives
 * 3 x 3, and takes the tangent. */
enum { STEPS = 4, WORDS = 3 + 16 * STEPS, WEIGHTS = 5, OUTPUTS = 9 };
static const uint32_t WORDS_OF_TANGENT[WORDS] = {
    0x3150444d, STEPS, 4,                                        /**/
    0,          0,     0, 9, 1, 1, 2, 2, 1, 3, 3, 2, 2, 1, 1, 0, /**/
    1,          1,     0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /**/
    2,          1,     0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /**/
    3,          2,     3, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /**/
};
static const float WEIGHTS_OF_TANGENT[WEIGHTS] = {1, 2, -3, 0.5F, 0.25F};

typedef struct sample {
  uint32_t words[WORDS];
  float weights[WEIGHTS];
} sample;

static sample make_payload(void) {
  sample payload;
  memcpy(payload.words, WORDS_OF_TANGENT, sizeof payload.words);
  memcpy(payload.weights, WEIGHTS_OF_TANGENT, sizeof payload.weights);
  return payload;
}

static et_backend_context context_of(const void *bytes, size_t size) {
  const et_backend_context context = {.size = sizeof context,
                                      .payload = {bytes, size}};
  return context;
}

static et_status measure(const void *bytes, size_t size) {
  const et_backend_context context = context_of(bytes, size);
  et_backend_requirements needed;
  return demo->measure(&context, &needed);
}

/* Builds the handle in memory of exactly the measured size; the results between steps
 * take `bytes`. */
static void *init_sized(const sample *payload, size_t bytes) {
  _Alignas(64) static uint8_t memory[1024];
  et_backend_context context = context_of(payload, sizeof *payload);
  et_backend_requirements needed;
  void *handle = NULL;
  assert_int_equal(demo->measure(&context, &needed), ET_STATUS_OK);
  assert_int_equal(needed.handle_bytes,
                   MAPPING_DEMO_HANDLE_BYTES(STEPS, bytes));
  assert_int_equal(needed.output_count, 1);
  const et_mutable_span span = {memory, needed.handle_bytes};
  et_arena arena = et_arena_over(span);
  context.arena = &arena;
  assert_true(needed.handle_bytes <= sizeof memory);
  assert_int_equal(demo->init(&context, &handle), ET_STATUS_OK);
  assert_int_equal(arena.used, needed.handle_bytes);
  return handle;
}

static void *init(const sample *payload) { return init_sized(payload, 3 * 48); }

/* A tensor of one dimension: the payload goes by elements alone. */
typedef struct vector {
  float data[OUTPUTS];
  int32_t size;
  int32_t stride;
  et_tensor tensor;
  et_value value;
} vector;

static void make_vector(vector *v, int32_t size) {
  static const uint8_t order[1] = {0};
  memset(v, 0, sizeof *v);
  v->size = size;
  v->stride = 1;
  v->tensor.data = v->data;
  v->tensor.capacity = sizeof v->data;
  v->tensor.sizes = &v->size;
  v->tensor.strides = &v->stride;
  v->tensor.dim_order = order;
  v->tensor.numel = (size_t)size;
  v->tensor.dtype = ET_SCALAR_TYPE_FLOAT32;
  v->tensor.rank = 1;
  v->value.tag = ET_VALUE_TENSOR;
  v->value.u.as_tensor = &v->tensor;
  for (int32_t i = 0; i < size; i++) {
    v->data[i] = (float)(i + 1) / 4;
  }
}

static et_status execute(void *handle, et_value **args, size_t count,
                         const et_observer *observer) {
  const et_execute_context context = {.observer = observer, .error = NULL};
  return demo->execute(handle, &context, args, count);
}

/* An element of the picture, 0 in the padding around it. */
static float pixel(const float *picture, int row, int column) {
  return row < 0 || row > 1 || column < 0 || column > 1
             ? 0
             : picture[2 * row + column];
}

static float expected_at(const float *picture, int row, int column) {
  float sum = WEIGHTS_OF_TANGENT[4];
  for (int i = 0; i < 4; i++) {
    sum += WEIGHTS_OF_TANGENT[i] *
           pixel(picture, row - 1 + i / 2, column - 1 + i % 2);
  }
  return tanf(sum < 0 ? 0 : sum);
}

static void test_mapping_demo_computes_the_model(void **state) {
  (void)state;
  const sample payload = make_payload();
  vector in;
  vector out;
  et_value *args[2] = {&in.value, &out.value};
  make_vector(&in, 4);
  make_vector(&out, OUTPUTS);
  assert_int_equal(execute(init(&payload), args, 2, NULL), ET_STATUS_OK);
  for (int i = 0; i < OUTPUTS; i++) {
    const float expected = expected_at(in.data, i / 3, i % 3);
    assert_true(fabsf(out.data[i] - expected) <= 1e-6F);
  }
}

/* Two pictures of 1 x 2, and a window that covers each without padding. */
static void test_each_image_of_a_batch_is_convolved(void **state) {
  (void)state;
  static const uint32_t sizes[] = {2, 2, 1, 1, 2, 1, 1, 1, 1, 2, 1, 0};
  sample payload = make_payload();
  memcpy(payload.words + 6, sizes, sizeof sizes);
  for (size_t step = 1; step < STEPS; step++) {
    payload.words[3 + 16 * step + 3] = 2; /* elements */
  }
  vector in;
  vector out;
  et_value *args[2] = {&in.value, &out.value};
  make_vector(&in, 4);
  make_vector(&out, 2);
  in.data[2] = 3;
  assert_int_equal(execute(init_sized(&payload, 3 * 16), args, 2, NULL),
                   ET_STATUS_OK);
  for (int i = 0; i < 2; i++) {
    const float *picture = in.data + 2 * i;
    const float sum = WEIGHTS_OF_TANGENT[0] * picture[0] +
                      WEIGHTS_OF_TANGENT[1] * picture[1] +
                      WEIGHTS_OF_TANGENT[2];
    assert_true(fabsf(out.data[i] - tanf(sum < 0 ? 0 : sum)) <= 1e-6F);
  }
}

/* The second value that a convolution names is not used. */
static void test_convolution_reads_its_first_operand(void **state) {
  (void)state;
  sample payload = make_payload();
  memcpy(payload.words + 3 + 16, payload.words + 3, 16 * sizeof(uint32_t));
  payload.words[3 + 16 + 2] = 1;
  assert_int_equal(measure(&payload, sizeof payload), ET_STATUS_OK);
}

typedef struct report {
  uint32_t begun;
  uint32_t ended;
  uint32_t indices[STEPS];
  const char *names[STEPS];
} report;

static void on_begin(void *context, const et_event *event) {
  report *r = context;
  assert_int_equal(event->kind, ET_EVENT_STEP);
  r->indices[r->begun] = event->index;
  r->names[r->begun] = event->name;
  r->begun++;
}

static void on_end(void *context, const et_event *event, et_status status) {
  report *r = context;
  assert_int_equal(status, ET_STATUS_OK);
  assert_int_equal(event->index, r->indices[r->ended]);
  r->ended++;
}

static void test_each_op_is_reported_under_its_identifier(void **state) {
  (void)state;
  const sample payload = make_payload();
  static const char *const names[] = {"conv_relu", "sin_of_tan", "cos_of_tan",
                                      "div_of_tan"};
  report reported = {0};
  const et_observer observer = {&reported, on_begin, on_end, NULL};
  vector in;
  vector out;
  et_value *args[2] = {&in.value, &out.value};
  make_vector(&in, 4);
  make_vector(&out, OUTPUTS);
  assert_int_equal(execute(init(&payload), args, 2, &observer), ET_STATUS_OK);
  assert_int_equal(reported.begun, STEPS);
  assert_int_equal(reported.ended, STEPS);
  for (uint32_t i = 0; i < STEPS; i++) {
    assert_int_equal(reported.indices[i], i);
    assert_string_equal(reported.names[i], names[i]);
  }
}

static void test_mapping_demo_rejects_unknown_options_by_name(void **state) {
  (void)state;
  const sample payload = make_payload();
  const et_backend_option option = {"speed", {ET_VALUE_INT, {.as_int = 1}}};
  et_backend_requirements needed;
  et_error error;
  et_backend_context context = context_of(&payload, sizeof payload);
  et_error_clear(&error);
  context.options = &option;
  context.option_count = 1;
  context.error = &error;
  assert_int_equal(demo->measure(&context, &needed),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message, "there is no option 'speed'");
}

static void test_payload_of_the_official_exporter_is_refused(void **state) {
  (void)state;
  static const char text[] = "2#conv_relu_op,0,sin_decomp_from_tan,1,";
  et_error error;
  et_backend_requirements needed;
  et_backend_context context = context_of(text, sizeof text - 1);
  et_error_clear(&error);
  context.error = &error;
  assert_int_equal(demo->measure(&context, &needed),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
  assert_string_equal(error.message,
                      "payload: it names no operands and no weights, as the "
                      "official exporter writes it; compile the model again");
}

static void test_m28_mapping_demo_survives_every_truncated_and_changed_payload(
    void **state) {
  (void)state;
  sample payload = make_payload();
  uint8_t *bytes = (uint8_t *)&payload;
  for (size_t cut = 0; cut < sizeof payload; cut++) {
    assert_int_equal(measure(bytes, cut), ET_STATUS_DELEGATE_INCOMPATIBLE);
  }
  for (size_t at = 0; at < sizeof payload.words; at++) {
    const uint8_t old = bytes[at];
    for (int byte = 0; byte < 256; byte++) {
      bytes[at] = (uint8_t)byte;
      measure(bytes, sizeof payload);
    }
    bytes[at] = old;
  }
}

static void expect_refused(size_t word, uint32_t value) {
  sample payload = make_payload();
  payload.words[word] = value;
  assert_int_equal(measure(&payload, sizeof payload),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
}

static void test_m28_mapping_demo_rejects_inconsistent_payloads(void **state) {
  (void)state;
  expect_refused(1, 0);
  expect_refused(1, 65);
  expect_refused(2, UINT32_C(0x20000000));
  expect_refused(2, 5);            /* not what the convolution reads */
  expect_refused(3, 4);            /* no such kind */
  expect_refused(4, 1);            /* reads its own result */
  expect_refused(3 + 6, 3);        /* a higher picture than there is */
  expect_refused(3 + 9, 4);        /* a higher result than windows */
  expect_refused(3 + 11, 9);       /* a window beyond the padding */
  expect_refused(3 + 13, 0);       /* no stride */
  expect_refused(3 + 14, 0x10001); /* a padding above the limit */
  expect_refused(3 + 15, 1);       /* weights behind the end */
  expect_refused(3 + 48 + 2, 4);   /* divides by its own result */
  expect_refused(3 + 48 + 2, 0);   /* divides by a value of another size */
}

static void test_m28_mapping_demo_checks_arguments_before_writing(
    void **state) {
  (void)state;
  const sample payload = make_payload();
  void *handle = init(&payload);
  et_value number = {ET_VALUE_INT, {.as_int = 1}};
  vector in;
  vector out;
  et_value *args[2] = {&in.value, &out.value};
  make_vector(&in, 4);
  make_vector(&out, OUTPUTS);
  assert_int_equal(execute(handle, args, 1, NULL), ET_STATUS_INVALID_PROGRAM);
  args[0] = &number;
  assert_int_equal(execute(handle, args, 2, NULL), ET_STATUS_INVALID_ARGUMENT);
  args[0] = &in.value;
  in.tensor.numel = 3;
  assert_int_equal(execute(handle, args, 2, NULL), ET_STATUS_INVALID_ARGUMENT);
  in.tensor.numel = 4;
  out.tensor.dtype = ET_SCALAR_TYPE_INT32;
  assert_int_equal(execute(handle, args, 2, NULL), ET_STATUS_INVALID_ARGUMENT);
  assert_true(out.data[0] == 0.25F);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mapping_demo_computes_the_model),
      cmocka_unit_test(test_each_image_of_a_batch_is_convolved),
      cmocka_unit_test(test_convolution_reads_its_first_operand),
      cmocka_unit_test(test_each_op_is_reported_under_its_identifier),
      cmocka_unit_test(test_mapping_demo_rejects_unknown_options_by_name),
      cmocka_unit_test(test_payload_of_the_official_exporter_is_refused),
      cmocka_unit_test(
          test_m28_mapping_demo_survives_every_truncated_and_changed_payload),
      cmocka_unit_test(test_m28_mapping_demo_rejects_inconsistent_payloads),
      cmocka_unit_test(test_m28_mapping_demo_checks_arguments_before_writing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
