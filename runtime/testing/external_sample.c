#include "runtime/testing/external_sample.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static et_status do_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

static const et_kernel rows[] = {
    {"aten::addmm.out", "tttnnw>w", NULL, do_nothing, NULL, 0},
    {"aten::permute_copy.out", "tIw>w", NULL, do_nothing, NULL, 0},
    {"aten::relu.out", "tw>w", NULL, do_nothing, NULL, 0},
};
const et_kernel_table et_external_kernels = {rows, 3};
static const et_registry registry = {.kernels = &et_external_kernels};

static void open_source(et_external_sample *s, size_t i, const char *name) {
  s->bytes[i] = et_test_read_fixture_file(name, &s->sizes[i]);
  s->extents[i].bytes.data = s->bytes[i];
  s->extents[i].bytes.size = s->sizes[i];
  const et_data_source source = {name, s->sizes[i], &s->extents[i],
                                 1,    NULL,        NULL};
  s->sources[i] = source;
}

void et_external_open(et_external_sample *s, const char *program,
                      const char *data) {
  const et_external_sample none = {.reads = 0};
  *s = none;
  open_source(s, 0, program);
  open_source(s, 1, data);
}

void et_external_open_mlp(et_external_sample *s) {
  et_external_open(s, "ptd_mlp.pte", "mlp_weights.ptd");
}

void et_external_add_file(et_external_sample *s, const char *data,
                          bool is_first) {
  open_source(s, 2, data);
  if (is_first) {
    const et_data_source other = s->sources[2];
    s->sources[2] = s->sources[1];
    s->sources[1] = other;
  }
}

void et_external_close(et_external_sample *s) {
  et_hosted_method_free(&s->hosted);
  free(s->bytes[0]);
  free(s->bytes[1]);
  free(s->bytes[2]);
}

et_status et_external_load_program(et_external_sample *s, size_t count) {
  et_error_clear(&s->error);
  return et_program_load_sources(s->sources, count, &s->program, &s->error);
}

et_status et_external_load(et_external_sample *s, size_t count) {
  ET_RETURN_IF_ERROR(et_external_load_program(s, count));
  return et_hosted_method_load(&s->program, "forward", &registry, NULL,
                               &s->hosted, &s->error);
}

void et_external_expect(et_external_sample *s, et_status status,
                        et_status expected, const char *message) {
  if (status != expected || strcmp(s->error.message, message) != 0) {
    fail_msg("%s: '%s'", et_status_name(status), s->error.message);
  }
  et_external_close(s);
}

const uint8_t *et_external_segments(const et_external_sample *s) {
  uint64_t base = 0;
  memcpy(&base, s->bytes[1] + 32, sizeof base);
  return s->bytes[1] + base;
}

et_status et_external_read(void *context, uint64_t offset, size_t size,
                           void *out, et_error *error) {
  et_external_sample *s = context;
  (void)error;
  assert_true(offset <= s->sizes[1] && size <= s->sizes[1] - offset);
  s->reads++;
  memcpy(out, s->bytes[1] + offset, size);
  return ET_STATUS_OK;
}

void et_external_read_segments(et_external_sample *s) {
  s->extents[1].bytes.size = (size_t)(et_external_segments(s) - s->bytes[1]);
  s->sources[1].read = et_external_read;
  s->sources[1].context = s;
}
