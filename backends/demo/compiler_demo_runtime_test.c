/* Tests the demo backend: payload, ops, events, and malformed payloads and
 * arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "backends/demo/compiler_demo.h"
#include "backends/demo/handle.h"

#define CHAIN                                                              \
  "2version:0#op:demo::aten.mm.default, numel:4, "                         \
  "dtype:torch.float32<debug_handle>1#op:demo::aten.add.Tensor, numel:4, " \
  "dtype:torch.float32<debug_handle>2#"
#define GRAPH                                                                 \
  "2version:1#inputs:2#op:demo::aten.mul.Tensor, numel:4, "                   \
  "dtype:torch.float32, args:0;1<debug_handle>-1#op:demo::aten.sin.default, " \
  "numel:4, dtype:torch.float32, args:2<debug_handle>2#outputs:3;2#"

static const et_backend *const demo = &et_compiler_demo_backend;

/* A 2-dimensional float tensor of at most four elements. */
typedef struct sample {
  float data[4];
  int32_t sizes[2];
  int32_t strides[2];
  et_tensor tensor;
  et_value value;
} sample;

static const uint8_t ORDER[2] = {0, 1};

static void make_sample(sample *s, int32_t rows, int32_t columns,
                        uint8_t dynamism) {
  memset(s, 0, sizeof *s);
  s->sizes[0] = rows;
  s->sizes[1] = columns;
  s->tensor.data = s->data;
  s->tensor.capacity = sizeof s->data;
  s->tensor.sizes = s->sizes;
  s->tensor.strides = s->strides;
  s->tensor.dim_order = ORDER;
  s->tensor.dtype = ET_SCALAR_TYPE_FLOAT32;
  s->tensor.rank = 2;
  s->tensor.dynamism = dynamism;
  et_tensor_layout(s->sizes, ORDER, 2, s->strides, &s->tensor.numel, NULL);
  s->value.tag = ET_VALUE_TENSOR;
  s->value.u.as_tensor = &s->tensor;
  for (size_t i = 0; i < 4; i++) {
    s->data[i] = (float)(i + 1);
  }
}

static et_backend_context context_of(const char *text, size_t size) {
  const et_backend_context context = {.size = sizeof context,
                                      .payload = {(const uint8_t *)text, size}};
  return context;
}

static et_status measure(const char *text, size_t size,
                         et_backend_requirements *out) {
  const et_backend_context context = context_of(text, size);
  return demo->measure(&context, out);
}

/* Builds the handle of a payload in memory of exactly the measured size. */
static et_status init(const char *text, void **out_handle, size_t *out_bytes) {
  _Alignas(64) static uint8_t memory[4096];
  et_backend_context context = context_of(text, strlen(text));
  et_backend_requirements needed;
  ET_RETURN_IF_ERROR(demo->measure(&context, &needed));
  const et_mutable_span span = {memory, needed.handle_bytes};
  et_arena arena = et_arena_over(span);
  context.arena = &arena;
  *out_bytes = needed.handle_bytes;
  assert_true(needed.handle_bytes <= sizeof memory);
  assert_int_equal(demo->init(&context, out_handle), ET_STATUS_OK);
  assert_int_equal(arena.used, needed.handle_bytes);
  return ET_STATUS_OK;
}

static et_status execute_observed(void *handle, et_value **args, size_t count,
                                  const et_observer *observer) {
  const et_execute_context context = {.observer = observer, .error = NULL};
  return demo->execute(handle, &context, args, count);
}

static et_status execute(void *handle, et_value **args, size_t count) {
  return execute_observed(handle, args, count, NULL);
}

static void test_demo_handle_has_the_documented_size(void **state) {
  (void)state;
  void *handle = NULL;
  size_t bytes = 0;
  assert_int_equal(init(GRAPH, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(bytes, DEMO_HANDLE_BYTES(2u, 0u, 16 + 16));
}

static void test_demo_reports_its_output_count(void **state) {
  (void)state;
  et_backend_requirements needed = {0};
  assert_int_equal(measure(CHAIN, strlen(CHAIN), &needed), ET_STATUS_OK);
  assert_int_equal(needed.output_count, 1);
  assert_int_equal(measure(GRAPH, strlen(GRAPH), &needed), ET_STATUS_OK);
  assert_int_equal(needed.output_count, 2);
}

static void test_demo_rejects_unknown_options_by_name(void **state) {
  (void)state;
  et_error error;
  et_backend_requirements needed;
  const et_backend_option option = {"speed", {ET_VALUE_INT, {.as_int = 1}}};
  et_backend_context context = context_of(CHAIN, strlen(CHAIN));
  et_error_clear(&error);
  context.options = &option;
  context.option_count = 1;
  context.error = &error;
  assert_int_equal(demo->measure(&context, &needed),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "unknown option 'speed'; this backend has no options");
}

static void test_version_0_payload_runs_as_a_chain(void **state) {
  (void)state;
  void *handle = NULL;
  size_t bytes = 0;
  sample s[4];
  et_value *args[4];
  for (size_t i = 0; i < 4; i++) {
    make_sample(&s[i], 2, 2, ET_SHAPE_STATIC);
    args[i] = &s[i].value;
  }
  assert_int_equal(init(CHAIN, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(execute(handle, args, 4), ET_STATUS_OK);
  /* [[1, 2], [3, 4]] squared, plus itself */
  const float expected[4] = {8, 12, 18, 26};
  assert_memory_equal(s[3].data, expected, sizeof expected);
}

static void test_matrices_need_not_be_square(void **state) {
  (void)state;
  void *handle = NULL;
  size_t bytes = 0;
  sample s[4];
  et_value *args[4];
  for (size_t i = 0; i < 4; i++) {
    make_sample(&s[i], i == 1 ? 1 : 2, i == 0 ? 1 : 2, ET_SHAPE_STATIC);
    args[i] = &s[i].value;
  }
  assert_int_equal(init(CHAIN, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(execute(handle, args, 4), ET_STATUS_OK);
  /* [[1], [2]] times [[1, 2]], plus [[1, 2], [3, 4]] */
  const float expected[4] = {2, 4, 5, 8};
  assert_memory_equal(s[3].data, expected, sizeof expected);
}

static void test_version_1_payload_names_operands_and_outputs(void **state) {
  (void)state;
  void *handle = NULL;
  size_t bytes = 0;
  sample s[4];
  et_value *args[4];
  make_sample(&s[0], 2, 2, ET_SHAPE_STATIC);
  make_sample(&s[1], 1, 2, ET_SHAPE_STATIC); /* broadcasts */
  make_sample(&s[2], 2, 2, ET_SHAPE_STATIC);
  make_sample(&s[3], 2, 2, ET_SHAPE_STATIC);
  for (size_t i = 0; i < 4; i++) {
    args[i] = &s[i].value;
  }
  assert_int_equal(init(GRAPH, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(execute(handle, args, 4), ET_STATUS_OK);
  const float product[4] = {1, 4, 3, 8};
  assert_memory_equal(s[3].data, product, sizeof product);
  for (size_t i = 0; i < 4; i++) {
    assert_true(s[2].data[i] == sinf(product[i]));
  }
}

static void test_results_may_be_smaller_than_their_bound(void **state) {
  (void)state;
  void *handle = NULL;
  size_t bytes = 0;
  sample s[4];
  et_value *args[4];
  for (size_t i = 0; i < 4; i++) {
    make_sample(&s[i], i < 2 ? 1 : 2, 2, ET_SHAPE_DYNAMIC_BOUND);
    args[i] = &s[i].value;
  }
  assert_int_equal(init(GRAPH, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(execute(handle, args, 4), ET_STATUS_OK);
  assert_int_equal(s[2].sizes[0], 1);
}

static void test_demo_survives_every_truncated_and_changed_payload(
    void **state) {
  (void)state;
  char text[] = GRAPH;
  const size_t size = strlen(text);
  et_backend_requirements needed;
  for (size_t cut = 0; cut < size; cut++) {
    assert_int_equal(measure(text, cut, &needed),
                     ET_STATUS_DELEGATE_INCOMPATIBLE);
  }
  for (size_t at = 0; at < size; at++) {
    const char old = text[at];
    for (int byte = 1; byte < 256; byte++) {
      text[at] = (char)byte;
      measure(text, size, &needed);
    }
    text[at] = old;
  }
}

static void expect_incompatible(const char *text) {
  et_backend_requirements needed;
  assert_int_equal(measure(text, strlen(text), &needed),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
}

#define SIN_OF(operand)                                                    \
  "op:demo::aten.sin.default, numel:1, dtype:torch.float32, args:" operand \
  "<debug_handle>1#"

static void test_demo_rejects_inconsistent_payloads(void **state) {
  (void)state;
  expect_incompatible("");
  expect_incompatible("0version:0#");
  expect_incompatible("1version:2#" SIN_OF("0"));
  expect_incompatible("999999999version:1#inputs:1#outputs:0#");
  expect_incompatible("9999999999version:1#inputs:1#outputs:0#");
  expect_incompatible("1version:1#inputs:65#" SIN_OF("0") "outputs:0#");
  expect_incompatible("1version:1#inputs:1#" SIN_OF("1") "outputs:0#");
  expect_incompatible("1version:1#inputs:1#" SIN_OF("0;0") "outputs:0#");
  expect_incompatible("1version:1#inputs:1#" SIN_OF("0;0;0") "outputs:0#");
  expect_incompatible("1version:1#inputs:1#" SIN_OF("0") "outputs:2#");
  expect_incompatible("1version:1#inputs:1#" SIN_OF("0") "outputs:#");
  expect_incompatible("1version:1#inputs:1#" SIN_OF("0") "outputs:1# ");
  expect_incompatible("2version:1#inputs:1#" SIN_OF("0") "outputs:1#");
  expect_incompatible(
      "1version:1#inputs:1#op:demo::aten.sin.default, numel:1, "
      "dtype:torch.float64, args:0<debug_handle>1#outputs:1#");
}

static void test_demo_checks_arguments_before_writing(void **state) {
  (void)state;
  void *handle = NULL;
  size_t bytes = 0;
  sample s[4];
  et_value *args[4];
  for (size_t i = 0; i < 4; i++) {
    make_sample(&s[i], 2, 2, ET_SHAPE_STATIC);
    args[i] = &s[i].value;
  }
  et_value number = {ET_VALUE_INT, {.as_int = 1}};
  assert_int_equal(init(CHAIN, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(execute(handle, args, 3), ET_STATUS_INVALID_PROGRAM);
  args[1] = &number;
  assert_int_equal(execute(handle, args, 4), ET_STATUS_INVALID_ARGUMENT);
  args[1] = &s[1].value;
  make_sample(&s[1], 1, 2, ET_SHAPE_STATIC); /* (2, 2) x (1, 2) */
  assert_int_equal(execute(handle, args, 4), ET_STATUS_INVALID_ARGUMENT);
  make_sample(&s[1], 2, 2, ET_SHAPE_STATIC);
  s[3].tensor.dtype = ET_SCALAR_TYPE_INT32;
  assert_int_equal(execute(handle, args, 4), ET_STATUS_INVALID_ARGUMENT);
  assert_true(s[3].data[0] == 1);
}

static void test_results_above_the_payloads_bound_are_refused(void **state) {
  (void)state;
  const char *text = "1version:1#inputs:1#" SIN_OF("0") "outputs:1#";
  void *handle = NULL;
  size_t bytes = 0;
  sample s[2];
  et_value *args[2] = {&s[0].value, &s[1].value};
  make_sample(&s[0], 2, 2, ET_SHAPE_STATIC);
  make_sample(&s[1], 2, 2, ET_SHAPE_STATIC);
  assert_int_equal(init(text, &handle, &bytes), ET_STATUS_OK);
  assert_int_equal(execute(handle, args, 2), ET_STATUS_INVALID_ARGUMENT);
}

/* ---- Constants, fused and split ops ---- */

/* Convolves images with one window of 2 x 2, applies ReLU, and computes the
 * tangent as sine, cosine and division. The elements of the constants follow. */
#define TANGENT_TEXT                                                        \
  "4version:1#inputs:1#constants:1x1x2x2;1#"                                \
  "op:demo::conv_relu, numel:9, dtype:torch.float32, stride:1, padding:1, " \
  "args:0;1;2<debug_handle>1#"                                              \
  "op:demo::aten.sin.default, numel:9, dtype:torch.float32, "               \
  "args:3<debug_handle>2#"                                                  \
  "op:demo::aten.cos.default, numel:9, dtype:torch.float32, "               \
  "args:3<debug_handle>2#"                                                  \
  "op:demo::aten.div.Tensor, numel:9, dtype:torch.float32, "                \
  "args:4;5<debug_handle>2#outputs:6#"

enum { OPS = 4, WEIGHTS = 5, RESULTS = 9 };
static const float WEIGHTS_OF_TANGENT[WEIGHTS] = {1, 2, -3, 0.5F, 0.25F};

typedef struct tangent {
  char bytes[sizeof TANGENT_TEXT - 1 + sizeof WEIGHTS_OF_TANGENT];
} tangent;

static tangent make_tangent(void) {
  tangent payload;
  const size_t text = sizeof TANGENT_TEXT - 1;
  memcpy(payload.bytes, TANGENT_TEXT, text);
  memcpy(payload.bytes + text, WEIGHTS_OF_TANGENT, sizeof WEIGHTS_OF_TANGENT);
  return payload;
}

/* A float tensor [images, 1, height, width] of at most nine elements. */
typedef struct image_batch {
  float data[RESULTS];
  int32_t sizes[4];
  int32_t strides[4];
  et_tensor tensor;
  et_value value;
} image_batch;

static void make_images(image_batch *s, int32_t images, int32_t height,
                        int32_t width) {
  static const uint8_t order[4] = {0, 1, 2, 3};
  const int32_t sizes[4] = {images, 1, height, width};
  memset(s, 0, sizeof *s);
  memcpy(s->sizes, sizes, sizeof sizes);
  s->tensor.data = s->data;
  s->tensor.capacity = sizeof s->data;
  s->tensor.sizes = s->sizes;
  s->tensor.strides = s->strides;
  s->tensor.dim_order = order;
  s->tensor.dtype = ET_SCALAR_TYPE_FLOAT32;
  s->tensor.rank = 4;
  et_tensor_layout(s->sizes, order, 4, s->strides, &s->tensor.numel, NULL);
  s->value.tag = ET_VALUE_TENSOR;
  s->value.u.as_tensor = &s->tensor;
  for (size_t i = 0; i < s->tensor.numel; i++) {
    s->data[i] = (float)(i + 1) / 4;
  }
}

/* Element of an image of `height` x `width`; 0 in the padding. */
static float pixel(const float *image, int height, int width, int row,
                   int column) {
  return row < 0 || row >= height || column < 0 || column >= width
             ? 0
             : image[row * width + column];
}

static float expected_at(const float *image, int height, int width, int row,
                         int column) {
  float sum = WEIGHTS_OF_TANGENT[4];
  for (int i = 0; i < 4; i++) {
    sum += WEIGHTS_OF_TANGENT[i] *
           pixel(image, height, width, row - 1 + i / 2, column - 1 + i % 2);
  }
  return tanf(sum < 0 ? 0 : sum);
}

static void *init_tangent(void) {
  _Alignas(64) static uint8_t memory[4096];
  static tangent payload;
  payload = make_tangent();
  et_backend_context context = context_of(payload.bytes, sizeof payload.bytes);
  et_backend_requirements needed;
  void *handle = NULL;
  assert_int_equal(demo->measure(&context, &needed), ET_STATUS_OK);
  assert_int_equal(needed.handle_bytes,
                   DEMO_HANDLE_BYTES(OPS, 2u, 4 * 48 + 16 + 16));
  const et_mutable_span span = {memory, needed.handle_bytes};
  et_arena arena = et_arena_over(span);
  context.arena = &arena;
  assert_true(needed.handle_bytes <= sizeof memory);
  assert_int_equal(demo->init(&context, &handle), ET_STATUS_OK);
  assert_int_equal(arena.used, needed.handle_bytes);
  return handle;
}

static void check_tangent(int images, int height, int width) {
  image_batch in;
  image_batch out;
  et_value *args[2] = {&in.value, &out.value};
  make_images(&in, images, height, width);
  make_images(&out, images, height + 1, width + 1);
  assert_int_equal(execute(init_tangent(), args, 2), ET_STATUS_OK);
  const float *at = out.data;
  for (int n = 0; n < images; n++) {
    for (int i = 0; i < (height + 1) * (width + 1); i++) {
      const float expected =
          expected_at(in.data + n * height * width, height, width,
                      i / (width + 1), i % (width + 1));
      assert_true(fabsf(*at++ - expected) <= 1e-6F);
    }
  }
}

static void test_fused_and_split_ops_compute_the_model(void **state) {
  (void)state;
  check_tangent(1, 2, 2);
}

static void test_each_image_of_a_batch_is_convolved(void **state) {
  (void)state;
  check_tangent(2, 1, 1);
}

static void test_convolutions_check_their_operands(void **state) {
  (void)state;
  image_batch in;
  image_batch out;
  et_value *args[2] = {&in.value, &out.value};
  make_images(&in, 1, 2, 2);
  make_images(&out, 1, 3, 3);
  in.tensor.rank = 3;
  assert_int_equal(execute(init_tangent(), args, 2),
                   ET_STATUS_INVALID_ARGUMENT);
  make_images(&in, 1, 2, 3); /* more results than the bound */
  assert_int_equal(execute(init_tangent(), args, 2),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_true(out.data[0] == 0.25F);
}

typedef struct report {
  uint32_t begun;
  uint32_t ended;
  uint32_t indices[OPS];
  const char *names[OPS];
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

static void test_demo_reports_each_op_under_its_identifier(void **state) {
  (void)state;
  static const char *const names[] = {"conv_relu", "sin", "cos", "div"};
  report reported = {0};
  const et_observer observer = {&reported, on_begin, on_end, NULL};
  image_batch in;
  image_batch out;
  et_value *args[2] = {&in.value, &out.value};
  make_images(&in, 1, 2, 2);
  make_images(&out, 1, 3, 3);
  assert_int_equal(execute_observed(init_tangent(), args, 2, &observer),
                   ET_STATUS_OK);
  assert_int_equal(reported.begun, OPS);
  assert_int_equal(reported.ended, OPS);
  for (uint32_t i = 0; i < OPS; i++) {
    assert_int_equal(reported.indices[i], i);
    assert_string_equal(reported.names[i], names[i]);
  }
}

static void test_demo_rejects_official_mapping_payloads(void **state) {
  (void)state;
  static const char text[] = "2#conv_relu_op,0,sin_decomp_from_tan,1,";
  et_error error;
  et_backend_requirements needed;
  et_backend_context context = context_of(text, sizeof text - 1);
  et_error_clear(&error);
  context.error = &error;
  assert_int_equal(et_mapping_demo_backend.measure(&context, &needed),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
  assert_string_equal(
      error.message,
      "payload: the operands and weights are missing, as in payloads of the "
      "official exporter; compile the model again");
}

static void test_demo_survives_changed_payloads_with_constants(void **state) {
  (void)state;
  tangent payload = make_tangent();
  const size_t size = sizeof payload.bytes;
  et_backend_requirements needed;
  for (size_t cut = 0; cut < size; cut++) {
    assert_int_equal(measure(payload.bytes, cut, &needed),
                     ET_STATUS_DELEGATE_INCOMPATIBLE);
  }
  for (size_t at = 0; at < sizeof TANGENT_TEXT - 1; at++) {
    const char old = payload.bytes[at];
    for (int byte = 0; byte < 256; byte++) {
      payload.bytes[at] = (char)byte;
      measure(payload.bytes, size, &needed);
    }
    payload.bytes[at] = old;
  }
}

#define CONV_OF(attributes, operands)                           \
  "op:demo::conv_relu, numel:1, dtype:torch.float32" attributes \
  ", args:" operands "<debug_handle>1#outputs:3#"
#define CONV_INPUTS "1version:1#inputs:3#"

static void test_demo_rejects_invalid_constants_and_convolutions(void **state) {
  (void)state;
  et_backend_requirements needed;
  const char *valid = CONV_INPUTS CONV_OF(", stride:1, padding:0", "0;1;2");
  assert_int_equal(measure(valid, strlen(valid), &needed), ET_STATUS_OK);
  expect_incompatible(CONV_INPUTS CONV_OF(", stride:0, padding:0", "0;1;2"));
  expect_incompatible(CONV_INPUTS CONV_OF("", "0;1;2"));
  expect_incompatible(CONV_INPUTS CONV_OF(", stride:1, padding:0", "0;1"));
  expect_incompatible(CONV_INPUTS CONV_OF(", stride:1, padding:0", "0;1;3"));
  expect_incompatible("0version:1#inputs:1#constants:#outputs:0#");
  expect_incompatible("0version:1#inputs:1#constants:1x1x1x1x1#outputs:0#");
  expect_incompatible("0version:1#inputs:1#constants:1000000x1000#outputs:0#");
  expect_incompatible("0version:1#inputs:1#constants:1#outputs:0#");
  expect_incompatible("0version:1#inputs:1#constants:1#outputs:2#four");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_demo_handle_has_the_documented_size),
      cmocka_unit_test(test_demo_reports_its_output_count),
      cmocka_unit_test(test_demo_rejects_unknown_options_by_name),
      cmocka_unit_test(test_version_0_payload_runs_as_a_chain),
      cmocka_unit_test(test_matrices_need_not_be_square),
      cmocka_unit_test(test_version_1_payload_names_operands_and_outputs),
      cmocka_unit_test(test_results_may_be_smaller_than_their_bound),
      cmocka_unit_test(test_demo_survives_every_truncated_and_changed_payload),
      cmocka_unit_test(test_demo_rejects_inconsistent_payloads),
      cmocka_unit_test(test_demo_checks_arguments_before_writing),
      cmocka_unit_test(test_results_above_the_payloads_bound_are_refused),
      cmocka_unit_test(test_fused_and_split_ops_compute_the_model),
      cmocka_unit_test(test_each_image_of_a_batch_is_convolved),
      cmocka_unit_test(test_convolutions_check_their_operands),
      cmocka_unit_test(test_demo_reports_each_op_under_its_identifier),
      cmocka_unit_test(test_demo_rejects_official_mapping_payloads),
      cmocka_unit_test(test_demo_survives_changed_payloads_with_constants),
      cmocka_unit_test(test_demo_rejects_invalid_constants_and_convolutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
