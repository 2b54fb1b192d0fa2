/* Tests data that is not contiguous in memory: constants, initial values,
 * payloads and named data. A method must receive the same bytes as from a
 * contiguous program. */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/testing/program_test_support.h"

/* Programs with constants, with constants and initial values, and with a
 * payload and named data. */
static const char *const FIXTURES[] = {
    "bundled_linear_plain", "counter_mutable_init", "mlp_xnn_seg_default"};
enum { FIXTURE_COUNT = 3, MAX_BYTES = 1 << 14 };

/* The file, and the number of times that each byte was read. */
static uint8_t *bytes;
static size_t size;
static uint8_t times_read[MAX_BYTES];
static size_t reads;
static size_t failing; /* index of the read that fails */

/* All data that a method received from its program. */
typedef struct gathered {
  uint8_t bytes[MAX_BYTES];
  size_t used;
} gathered;

static gathered expected;
static gathered found;
static gathered *gathering;
static et_program program;

static void gather(const void *data, size_t count) {
  assert_true(count <= MAX_BYTES - gathering->used);
  if (count != 0) {
    memcpy(gathering->bytes + gathering->used, data, count);
  }
  gathering->used += count;
}

static et_status do_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

static et_status measure_all(const et_backend_context *context,
                             et_backend_requirements *out) {
  gather(context->payload.data, context->payload.size);
  out->output_count = 1;
  return ET_STATUS_OK;
}

/* Requests all named data, twice. */
static et_status init_all(const et_backend_context *context,
                          void **out_handle) {
  const et_fb_table root = et_tables_root(&program);
  const et_fb_vector named = et_tables_vector(root, ET_PROGRAM_NAMED_DATA);
  gather(context->payload.data, context->payload.size);
  for (uint32_t i = 0; i < 2 * et_fb_count(named); i++) {
    const et_fb_table entry = et_fb_child_at(named, i % et_fb_count(named));
    et_span data;
    ET_RETURN_IF_ERROR(context->find_data(
        context, et_fb_text(entry, ET_NAMED_DATA_KEY), &data, context->error));
    gather(data.data, data.size);
  }
  *out_handle = NULL;
  return ET_STATUS_OK;
}

static et_status execute_nothing(void *handle,
                                 const et_execute_context *context,
                                 et_value **args, size_t count) {
  (void)handle;
  (void)context;
  (void)args;
  (void)count;
  return ET_STATUS_OK;
}

static const et_kernel rows[] = {
    {"aten::add.out", "ttnw>w", NULL, do_nothing, NULL, 0},
    {"aten::addmm.out", "tttnnw>w", NULL, do_nothing, NULL, 0},
    {"aten::copy_", "wtb>w", NULL, do_nothing, NULL, 0},
    {"aten::mul.out", "ttw>w", NULL, do_nothing, NULL, 0},
    {"aten::permute_copy.out", "tIw>w", NULL, do_nothing, NULL, 0},
    {"dim_order_ops::_to_dim_order_copy.out", "tb?Iw>w", NULL, do_nothing, NULL,
     0},
};
static const et_kernel_table table = {rows, 6};
static const et_backend all = {"XnnpackBackend", measure_all, init_all,
                               execute_nothing, NULL};
static const et_backend *const backends[] = {&all};
static const et_registry registry = {.kernels = &table,
                                     .backends = backends,
                                     .backend_count = 1,
                                     .delegation = &et_delegation};

static void gather_method(const et_method *method,
                          const et_planned_buffer *planned, size_t count) {
  for (uint32_t i = 0; i < method->value_count; i++) {
    const et_value *value = &method->values[i];
    if (value->tag == ET_VALUE_TENSOR && value->u.as_tensor->is_constant) {
      gather(value->u.as_tensor->data, et_tensor_nbytes(value->u.as_tensor));
    }
  }
  for (size_t i = 0; i < count; i++) {
    gather(planned[i].bytes.data, planned[i].bytes.size);
  }
}

/* Loads method "forward" of `program`, and collects its data. */
static et_status load(gathered *out, et_error *error) {
  et_hosted_method hosted;
  et_error_clear(error);
  gathering = out;
  out->used = 0;
  const et_status status = et_hosted_method_load(&program, "forward", &registry,
                                                 NULL, &hosted, error);
  if (status == ET_STATUS_OK) {
    gather_method(hosted.method, hosted.planned,
                  hosted.requirements.planned_count);
  }
  et_hosted_method_free(&hosted);
  return status;
}

static void open_fixture(const char *name) {
  bytes = et_test_read_fixture(name, &size);
  const et_span file = {bytes, size};
  et_error error;
  assert_int_equal(et_program_load(file, &program, NULL), ET_STATUS_OK);
  if (load(&expected, &error) != ET_STATUS_OK) {
    fail_msg("%s: %s", name, error.message);
  }
}

static void expect_same(void) {
  et_error error;
  if (load(&found, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(found.used, expected.used);
  assert_memory_equal(found.bytes, expected.bytes, expected.used);
}

/* Copies bytes to the end of an allocation, with the same alignment as in the
 * file. */
static et_extent copy_extent(uint64_t begin, uint64_t end,
                             uint8_t **out_allocation) {
  const size_t shift = begin % 64;
  const size_t count = (size_t)(end - begin);
  uint8_t *allocation = NULL;
  assert_int_equal(posix_memalign((void **)&allocation, 64, shift + count), 0);
  memcpy(allocation + shift, bytes + begin, count);
  *out_allocation = allocation;
  const et_extent extent = {begin, {allocation + shift, count}};
  return extent;
}

static void expect_same_in_two(uint64_t cut) {
  uint8_t *allocations[2];
  const et_extent parts[] = {copy_extent(0, cut, &allocations[0]),
                             copy_extent(cut, size, &allocations[1])};
  const et_data_source source = {"flash", size, parts, 2, NULL, NULL};
  assert_int_equal(et_program_load_sources(&source, 1, &program, NULL),
                   ET_STATUS_OK);
  expect_same();
  free(allocations[0]);
  free(allocations[1]);
}

static void test_file_may_be_split_anywhere_after_its_tables(void **state) {
  (void)state;
  for (size_t i = 0; i < FIXTURE_COUNT; i++) {
    open_fixture(FIXTURES[i]);
    const uint64_t tables = program.flatbuffer.size;
    for (uint64_t cut = tables; cut < size; cut++) {
      expect_same_in_two(cut);
    }
    free(bytes);
  }
}

static et_status read_file(void *context, uint64_t offset, size_t count,
                           void *out, et_error *error) {
  (void)context;
  assert_true(count != 0 && offset <= size && count <= size - offset);
  if (reads++ == failing) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED, "bus error");
  }
  for (size_t i = 0; i < count; i++) {
    times_read[offset + i]++;
  }
  memcpy(out, bytes + offset, count);
  return ET_STATUS_OK;
}

/* A source with only the tables in memory. */
static et_extent tables;
static et_data_source flash = {"flash", 0, &tables, 1, read_file, NULL};

static void open_reading(const char *name) {
  open_fixture(name);
  tables.bytes = program.flatbuffer;
  flash.size = size;
  reads = 0;
  failing = SIZE_MAX;
  memset(times_read, 0, sizeof times_read);
  assert_int_equal(et_program_load_sources(&flash, 1, &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(reads, 0);
}

static size_t most_often_read(void) {
  size_t most = 0;
  for (size_t i = 0; i < sizeof times_read; i++) {
    most = times_read[i] > most ? times_read[i] : most;
  }
  return most;
}

/* Data is read once for measuring, and once for loading. */
static void test_each_byte_is_read_once_per_load(void **state) {
  (void)state;
  for (size_t i = 0; i < FIXTURE_COUNT; i++) {
    open_reading(FIXTURES[i]);
    expect_same();
    assert_int_equal(most_often_read(), 2);
    free(bytes);
  }
}

static void test_every_failed_read_is_reported(void **state) {
  (void)state;
  for (size_t i = 0; i < FIXTURE_COUNT; i++) {
    et_error error;
    open_reading(FIXTURES[i]);
    assert_int_equal(load(&found, &error), ET_STATUS_OK);
    const size_t count = reads;
    assert_true(count >= 2);
    for (failing = 0; failing < count; failing++) {
      reads = 0;
      assert_int_equal(load(&found, &error), ET_STATUS_ACCESS_FAILED);
      assert_non_null(strstr(error.message, "source 'flash': reading "));
      assert_non_null(strstr(error.message, ": bus error"));
      assert_int_equal(reads, failing + 1);
    }
    free(bytes);
  }
}

/* Memory of a method. Each buffer has exactly the required size. */
typedef struct memory {
  et_method_requirements needed;
  et_planned_buffer planned[1];
  et_method_memory parts;
} memory;

static et_mutable_span allocate(size_t count) {
  void *data = NULL;
  assert_int_equal(posix_memalign(&data, ET_MEMORY_ALIGNMENT, count), 0);
  const et_mutable_span span = {data, count};
  return span;
}

static void take_memory(memory *m) {
  size_t data_bytes = 0;
  size_t planned_bytes = 0;
  et_method_meta meta;
  et_program_method_meta(&program, "forward", &meta, NULL);
  et_method_meta_planned_bytes(&meta, 0, &planned_bytes, NULL);
  gathering = &found;
  found.used = 0;
  assert_int_equal(et_method_data_bytes(&program, "forward", &data_bytes, NULL),
                   ET_STATUS_OK);
  m->parts.data = allocate(data_bytes);
  const et_method_options options = {.data = m->parts.data};
  assert_int_equal(et_method_measure(&program, "forward", &registry, &options,
                                     &m->needed, NULL),
                   ET_STATUS_OK);
  assert_int_equal(m->needed.data_bytes, data_bytes);
  m->parts.method = allocate(m->needed.method_bytes);
  m->parts.scratch = allocate(m->needed.scratch_bytes);
  m->planned[0].bytes = allocate(planned_bytes);
  m->planned[0].state = NULL;
  m->planned[0].sharing = NULL;
  m->parts.planned = m->planned;
  m->parts.planned_count = 1;
}

static void give_memory(memory *m) {
  free(m->parts.data.data);
  free(m->parts.method.data);
  free(m->parts.scratch.data);
  free(m->planned[0].bytes.data);
}

static et_status load_in(const memory *m, et_method **out_method,
                         et_error *error) {
  et_error_clear(error);
  return et_method_load(&program, "forward", &registry, NULL, &m->parts,
                        out_method, error);
}

static void test_data_memory_must_be_large_enough(void **state) {
  (void)state;
  memory m;
  et_method *method = NULL;
  et_error error;
  open_reading("bundled_linear_plain");
  take_memory(&m);
  assert_int_equal(load_in(&m, &method, &error), ET_STATUS_OK);
  et_method_unload(method);
  const size_t before = reads;
  for (size_t given = 0; given < m.needed.data_bytes; given++) {
    m.parts.data.size = given;
    assert_int_equal(load_in(&m, &method, &error), ET_STATUS_MEMORY_TOO_SMALL);
    assert_non_null(strstr(error.message, "memory.data[0] has "));
  }
  assert_int_equal(reads, before);
  give_memory(&m);
  free(bytes);
}

static void test_measured_size_includes_data_memory(void **state) {
  (void)state;
  et_method_requirements needed = {0};
  et_error error;
  et_error_clear(&error);
  open_reading("mlp_xnn_seg_default");
  assert_int_equal(
      et_method_measure(&program, "forward", &registry, NULL, &needed, &error),
      ET_STATUS_MEMORY_TOO_SMALL);
  assert_non_null(strstr(error.message, "options.data[0] has 0 bytes, but"));
  assert_int_equal(reads, 0);
  free(bytes);
}

static void test_data_memory_must_be_disjoint_and_aligned(void **state) {
  (void)state;
  memory m;
  et_method *method = NULL;
  et_error error;
  open_reading("bundled_linear_plain");
  take_memory(&m);
  const et_mutable_span right = m.parts.data;
  const size_t before = reads;
  const et_mutable_span wrong[] = {m.parts.method, m.planned[0].bytes};
  for (size_t i = 0; i < 2; i++) {
    m.parts.data = wrong[i];
    assert_int_equal(load_in(&m, &method, &error), ET_STATUS_INVALID_ARGUMENT);
    assert_string_equal(error.message,
                        "memory.data overlaps another buffer; separate them");
  }
  m.parts.data = allocate(right.size + 64);
  m.parts.data.data += 16;
  assert_int_equal(load_in(&m, &method, &error), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      error.message,
      "memory.data[0] is NULL or misaligned; align it to 64 bytes");
  assert_int_equal(reads, before);
  free(m.parts.data.data - 16);
  m.parts.data = right;
  m.parts.planned = NULL;
  assert_int_equal(load_in(&m, &method, &error), ET_STATUS_MEMORY_TOO_SMALL);
  assert_non_null(strstr(error.message, "memory.planned has 0 buffers"));
  give_memory(&m);
  free(bytes);
}

static void test_reset_restores_state_that_was_read(void **state) {
  (void)state;
  memory m;
  et_method *method = NULL;
  et_error error;
  open_reading("counter_mutable_init");
  take_memory(&m);
  assert_int_equal(load_in(&m, &method, &error), ET_STATUS_OK);
  const size_t before = reads;
  const et_mutable_span *planned = &m.planned[0].bytes;
  et_mutable_span initial = allocate(planned->size);
  memcpy(initial.data, planned->data, planned->size);
  memset(planned->data, 0xFF, planned->size);
  et_method_reset_state(method);
  assert_memory_equal(planned->data, initial.data, 4);
  assert_int_equal(reads, before);
  et_method_unload(method);
  free(initial.data);
  give_memory(&m);
  free(bytes);
}

static void test_contiguous_file_needs_no_data_memory(void **state) {
  (void)state;
  size_t data_bytes = 1;
  open_fixture("mlp_xnn_seg_default");
  assert_int_equal(et_method_data_bytes(&program, "forward", &data_bytes, NULL),
                   ET_STATUS_OK);
  assert_int_equal(data_bytes, 0);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_file_may_be_split_anywhere_after_its_tables),
      cmocka_unit_test(test_each_byte_is_read_once_per_load),
      cmocka_unit_test(test_every_failed_read_is_reported),
      cmocka_unit_test(test_data_memory_must_be_large_enough),
      cmocka_unit_test(test_measured_size_includes_data_memory),
      cmocka_unit_test(test_data_memory_must_be_disjoint_and_aligned),
      cmocka_unit_test(test_reset_restores_state_that_was_read),
      cmocka_unit_test(test_contiguous_file_needs_no_data_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
