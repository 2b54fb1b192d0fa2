/* Finds the sites in a program's CpuBackend payloads. */
#include <string.h>

#include "backends/cpu/ops/op_schema.h"
#include "backends/cpu/runtime/payload.h"
#include "executorch/backend.h"
#include "tests/fuzz/mutate.h"

/* A kind is a group of words with the same meaning. The kind of an attribute
 * depends on the op. */
enum {
  HEADER = 0,
  DIM = 16,
  VALUE = 32,
  VALUE_DIM = 48,
  DATA = 64,
  STEP = 80,
  STEP_TENSOR = 96,
  STEP_DIM = 97,
  ATTRIBUTE = 128,
};

#define ATTRIBUTE_KINDS 32 /* kinds of attribute per op */
#define MAX_KINDS 256      /* op codes are lower */

static bool seen[MAX_KINDS];

typedef struct walk {
  et_site_list list;
  et_cpu_payload payload;
  uint32_t start; /* position of the payload in the program */
} walk;

/* Adds consecutive words, each of a different kind. */
static void add_fields(walk *w, size_t at, int kind, size_t count) {
  for (size_t i = 0; i < count; i++) {
    et_site_list_add(&w->list, w->start + (uint32_t)(4 * (at + i)),
                     (uint16_t)(kind + (int)i), 4);
  }
}

/* Adds consecutive words of the same kind. */
static void add_same(walk *w, size_t at, int kind, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_fields(w, at + i, kind, 1);
  }
}

static void add_values(walk *w) {
  size_t at = w->payload.values_at;
  et_cpu_value value;
  for (uint32_t i = 0; i < w->payload.value_count; i++) {
    add_fields(w, at, VALUE, 6);
    et_cpu_read_value(&w->payload, &at, &value);
    add_same(w, value.dims_at, VALUE_DIM, value.rank);
  }
}

static void add_steps(walk *w) {
  size_t at = w->payload.ops_at;
  et_cpu_op_record step;
  for (uint32_t i = 0; i < w->payload.op_count; i++) {
    add_fields(w, at, STEP, 6);
    et_cpu_read_op(&w->payload, &at, &step);
    const int attributes = ATTRIBUTE + (int)step.kind * ATTRIBUTE_KINDS;
    add_same(w, step.tensors_at, STEP_TENSOR, step.tensor_count);
    add_same(w, step.dims_at, STEP_DIM, step.dim_count);
    add_fields(w, step.attributes_at, attributes, step.attribute_count);
    if (step.kind < MAX_KINDS) {
      seen[step.kind] = true;
    }
  }
}

static void add_payload(walk *w) {
  const uint32_t header =
      (uint32_t)(w->payload.values_at - (size_t)4 * w->payload.dim_count);
  add_fields(w, 0, HEADER, header);
  for (uint32_t i = 0; i < w->payload.dim_count; i++) {
    add_fields(w, header + (size_t)4 * i, DIM, 4);
  }
  add_values(w);
  for (uint32_t i = 0; i < w->payload.data_count; i++) {
    add_fields(w, w->payload.data_at + (size_t)3 * i, DATA, 3);
  }
  add_steps(w);
}

/* Returns the size of the payload at `at` in bytes, or 0 if there is none. */
static size_t payload_bytes(et_span program, size_t at) {
  uint32_t header[3];
  if (program.size - at < sizeof header) {
    return 0;
  }
  memcpy(header, program.data + at, sizeof header);
  const bool is_payload = header[0] == ET_CPU_MAGIC &&
                          header[1] == ET_CPU_VERSION &&
                          header[2] <= (program.size - at) / 4;
  return is_payload ? (size_t)4 * header[2] : 0;
}

#ifdef CPU_OPS
#define DECLARE(kind) extern const et_backend_part et_cpu_op_##kind;
CPU_OPS(DECLARE)
#define ADDRESS(kind) &et_cpu_op_##kind,
static const et_backend_part *const kinds[] = {CPU_OPS(ADDRESS)};

const char *et_sites_missing_kind(void) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const et_cpu_op_type *kind = kinds[i]->content;
    if (kinds[i]->id >= MAX_KINDS || !seen[kinds[i]->id]) {
      return kind->schema->name;
    }
  }
  return NULL;
}
#else
const char *et_sites_missing_kind(void) { return NULL; }
#endif

et_site *et_sites_of(et_span program, size_t *out_count) {
  walk w = {.start = 0};
  for (size_t at = 0; at < program.size; at += 4) {
    const et_span bytes = {program.data + at, payload_bytes(program, at)};
    if (bytes.size != 0 &&
        et_cpu_payload_open(bytes, NULL, &w.payload) == ET_STATUS_OK) {
      w.start = (uint32_t)at;
      add_payload(&w);
    }
  }
  et_site_list_sort(&w.list);
  *out_count = w.list.count;
  return w.list.sites;
}
