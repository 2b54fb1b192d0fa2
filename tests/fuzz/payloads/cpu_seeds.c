#include "tests/fuzz/payloads/cpu_seeds.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cpu/schema/op_fields.h"
#include "executorch/program.h"
#include "executorch/scalar_type.h"
#include "runtime/program/source.h"
#include "runtime/program/tables.h"

#define MAX_WORDS 4096
#define MAX_SEED_DIMS 64
#define NONE UINT32_MAX

/* Limits on one-op seeds: their number for each kind, and the bytes of one
 * tensor and of all workspaces. */
#define MAX_SEEDS 24
#define MAX_SEED_BYTES (1u << 19)
#define MAX_WORKSPACE_BYTES (1u << 22)

size_t et_cpu_kind_of(uint32_t code) {
  size_t kind = 0;
  while (kind < et_cpu_op_fields_count &&
         et_cpu_all_op_fields[kind].part->id != code) {
    kind++;
  }
  return kind;
}

/* A payload of a program. */
typedef struct source {
  et_cpu_payload payload;
  et_span bytes;
  et_run_data data[ET_RUN_DATA];
} source;

/* The payload of one op under construction. */
typedef struct extraction {
  const source *from;
  et_cpu_op_record record;
  et_seed seed;
  uint32_t dims[MAX_SEED_DIMS]; /* sizes; ints from first_int on */
  uint32_t dim_count;
  uint32_t first_int;
  et_cpu_value values[ET_RUN_ARGUMENTS]; /* values of the source */
  uint32_t indices[ET_RUN_ARGUMENTS];    /* value indices in the source */
  uint32_t places[ET_RUN_ARGUMENTS];
  uint32_t arguments[ET_RUN_ARGUMENTS];
  uint32_t value_count;
  uint32_t inputs; /* without ints and states */
  uint32_t outputs;
  uint32_t states[ET_RUN_ARGUMENTS]; /* index in the source, by new index */
  uint32_t state_count;
  uint32_t scratch_bytes;
  uint32_t words[MAX_WORDS];
  size_t word_count;
} extraction;

static void put(extraction *e, uint32_t word) {
  if (e->word_count < MAX_WORDS) {
    e->words[e->word_count] = word;
  }
  e->word_count++;
}

static et_cpu_value value_at(const et_cpu_payload *payload, uint32_t index) {
  size_t at = payload->values_at;
  et_cpu_value value = {.rank = 0};
  for (uint32_t i = 0; i <= index; i++) {
    et_cpu_read_value(payload, &at, &value);
  }
  return value;
}

static uint32_t size_of(const extraction *e, const et_cpu_value *value,
                        uint32_t dim) {
  const et_cpu_payload *payload = &e->from->payload;
  return et_cpu_dim_at(payload, et_cpu_word(payload, value->dims_at + dim))
      .maximum;
}

static uint64_t bytes_of(const extraction *e, const et_cpu_value *value) {
  uint64_t bytes = et_scalar_type_size((int32_t)value->dtype);
  for (uint32_t i = 0; i < value->rank; i++) {
    bytes *= size_of(e, value, i);
    bytes = bytes < UINT32_MAX ? bytes : UINT32_MAX;
  }
  return bytes;
}

/* Returns the dim with this constant size. */
static uint32_t dim_of(extraction *e, uint32_t size) {
  for (uint32_t i = 0; i < e->dim_count; i++) {
    if (e->dims[i] == size) {
      return i;
    }
  }
  if (e->dim_count < MAX_SEED_DIMS) {
    e->dims[e->dim_count] = size;
  }
  return e->dim_count++;
}

static uint32_t state_of(extraction *e, uint32_t index) {
  for (uint32_t i = 0; i < e->state_count; i++) {
    if (e->states[i] == index) {
      return i;
    }
  }
  e->states[e->state_count] = index;
  return e->state_count++;
}

/* Places the value of tensor `i` of the op at an argument or in scratch. */
static void place(extraction *e, uint32_t index, uint32_t i) {
  const et_cpu_value value = value_at(&e->from->payload, index);
  const uint32_t at = e->value_count++;
  const bool is_workspace = i >= e->record.input_count + e->record.output_count;
  e->values[at] = value;
  e->indices[at] = index;
  if (value.place == ET_CPU_PLACE_STATE) {
    e->places[at] = ET_CPU_PLACE_STATE;
    e->arguments[at] = state_of(e, value.index);
  } else if (is_workspace) {
    e->places[at] = ET_CPU_PLACE_SCRATCH;
    e->arguments[at] = e->scratch_bytes;
    e->scratch_bytes += (uint32_t)((bytes_of(e, &value) + 63) / 64 * 64);
  } else if (i >= e->record.input_count) {
    e->places[at] = ET_CPU_PLACE_OUTPUT;
    e->arguments[at] = e->outputs++;
  } else {
    e->places[at] = ET_CPU_PLACE_INPUT;
    e->arguments[at] = e->inputs++;
    if (value.place == ET_CPU_PLACE_DATA) {
      const et_span data = e->from->data[value.index].bytes;
      e->seed.contents[e->arguments[at]] =
          (et_span){data.data + value.offset, (size_t)bytes_of(e, &value)};
    }
  }
}

/* Returns the new index of value `index`. */
static uint32_t find(const extraction *e, uint32_t index) {
  uint32_t at = 0;
  while (at < e->value_count && e->indices[at] != index) {
    at++;
  }
  return at;
}

static uint32_t tensor_at(const extraction *e, uint32_t i) {
  return et_cpu_word(&e->from->payload, e->record.tensors_at + i);
}

/* Returns false if the op is too large for a seed, or reads one of its outputs. */
static bool place_all(extraction *e) {
  if (e->record.tensor_count + e->record.dim_count > ET_RUN_ARGUMENTS) {
    return false;
  }
  for (uint32_t i = 0; i < e->record.tensor_count; i++) {
    const uint32_t found = find(e, tensor_at(e, i));
    if (found == e->value_count) {
      place(e, tensor_at(e, i), i);
    } else if (i >= e->record.input_count &&
               e->places[found] == ET_CPU_PLACE_INPUT) {
      return false;
    }
    const et_cpu_value value = value_at(&e->from->payload, tensor_at(e, i));
    if (e->places[found] != ET_CPU_PLACE_SCRATCH &&
        bytes_of(e, &value) > MAX_SEED_BYTES) {
      return false;
    }
  }
  return e->scratch_bytes <= MAX_WORKSPACE_BYTES;
}

static void put_values(extraction *e) {
  for (uint32_t i = 0; i < e->value_count; i++) {
    const et_cpu_value *value = &e->values[i];
    const bool is_scratch = e->places[i] == ET_CPU_PLACE_SCRATCH;
    const uint32_t before = e->places[i] == ET_CPU_PLACE_STATE
                                ? e->inputs + e->record.dim_count
                                : 0;
    uint32_t order = 0;
    for (uint32_t k = 0; k < value->rank; k++) {
      order |= k << 4 * k;
    }
    put(e, value->dtype);
    put(e, value->rank);
    put(e, e->places[i]);
    put(e, is_scratch ? 0 : before + e->arguments[i]);
    put(e, is_scratch ? e->arguments[i] : 0);
    put(e, order);
    for (uint32_t k = 0; k < value->rank; k++) {
      put(e, dim_of(e, size_of(e, value, k)));
    }
  }
}

static void put_op(extraction *e) {
  const et_cpu_op_record *record = &e->record;
  const uint32_t counts[] = {record->kind,         record->input_count,
                             record->output_count, record->workspace_count,
                             record->dim_count,    record->attribute_count};
  for (size_t i = 0; i < ET_CPU_OP_ENTRY_WORDS; i++) {
    put(e, counts[i]);
  }
  for (uint32_t i = 0; i < record->tensor_count; i++) {
    put(e, find(e, tensor_at(e, i)));
  }
  for (uint32_t i = 0; i < record->dim_count; i++) {
    put(e, e->first_int + i);
  }
  for (uint32_t i = 0; i < record->attribute_count; i++) {
    put(e, et_cpu_word(&e->from->payload, record->attributes_at + i));
  }
}

static void put_dims(extraction *e) {
  for (uint32_t i = 0; i < e->first_int; i++) {
    put(e, ET_CPU_DIM_OP_CONST);
    put(e, e->dims[i]);
    put(e, 0);
    put(e, e->dims[i]);
  }
  for (uint32_t i = 0; i < e->record.dim_count; i++) {
    const uint32_t dim = et_cpu_word(&e->from->payload, e->record.dims_at + i);
    put(e, ET_CPU_DIM_OP_INT);
    put(e, e->inputs + i);
    put(e, 0);
    put(e, et_cpu_dim_at(&e->from->payload, dim).maximum);
  }
}

/* Writes the payload. Values are written twice, because they refer to dims. */
static void put_all(extraction *e) {
  put_values(e);
  e->first_int = e->dim_count;
  e->word_count = 0;
  put(e, ET_CPU_MAGIC);
  put(e, ET_CPU_VERSION);
  put(e, 0);
  put(e, e->inputs + e->record.dim_count + e->state_count);
  put(e, e->outputs);
  put(e, e->first_int + e->record.dim_count);
  put(e, e->value_count);
  put(e, 0);
  put(e, 1);
  put(e, e->scratch_bytes);
  put(e, 0);
  put_dims(e);
  put_values(e);
  put_op(e);
  e->words[2] = (uint32_t)e->word_count;
}

static bool is_new(const et_seeds *seeds, const et_seed *seed) {
  size_t same_kind = 0;
  for (size_t i = 0; i < seeds->count; i++) {
    const et_seed *other = &seeds->items[i];
    same_kind += other->kind == seed->kind;
    if (other->payload.size == seed->payload.size &&
        memcmp(other->payload.data, seed->payload.data, seed->payload.size) ==
            0) {
      return false;
    }
  }
  return same_kind < MAX_SEEDS;
}

static void add_op(const source *from, const et_cpu_op_record *record,
                   et_seeds *seeds) {
  static extraction e;
  memset(&e, 0, sizeof e);
  e.from = from;
  e.record = *record;
  e.seed.kind = et_cpu_kind_of(record->kind);
  if (!place_all(&e)) {
    return;
  }
  put_all(&e);
  e.seed.payload = (et_span){(const uint8_t *)e.words, 4 * e.word_count};
  if (e.word_count <= MAX_WORDS && e.dim_count <= MAX_SEED_DIMS &&
      is_new(seeds, &e.seed)) {
    et_seeds_add(seeds, &e.seed);
  }
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

/* Opens the payload and finds its named data. */
static bool open_source(et_span program_file, size_t at, source *out) {
  et_program program;
  out->bytes =
      (et_span){program_file.data + at, payload_bytes(program_file, at)};
  if (out->bytes.size == 0 ||
      et_cpu_payload_open(out->bytes, NULL, &out->payload) != ET_STATUS_OK ||
      out->payload.data_count > ET_RUN_DATA ||
      et_program_load(program_file, &program, NULL) != ET_STATUS_OK) {
    return false;
  }
  for (uint32_t i = 0; i < out->payload.data_count; i++) {
    const et_cpu_data data = et_cpu_data_at(&out->payload, i);
    et_piece piece;
    if (!et_tables_named_data(&program, data.key, &piece)) {
      return false;
    }
    out->data[i] = (et_run_data){
        data.key, {et_source_address(&program, piece), piece.size}};
  }
  return true;
}

void et_cpu_add_seeds(et_span program, et_seeds *seeds) {
  static source from;
  for (size_t at = 0; at < program.size; at += 4) {
    if (!open_source(program, at, &from)) {
      continue;
    }
    et_seed whole = {.kind = et_cpu_op_fields_count,
                     .payload = from.bytes,
                     .data_count = from.payload.data_count};
    memcpy(whole.data, from.data, sizeof whole.data);
    et_seeds_add(seeds, &whole);
    size_t op_at = from.payload.ops_at;
    et_cpu_op_record record;
    for (uint32_t i = 0; i < from.payload.op_count; i++) {
      et_cpu_read_op(&from.payload, &op_at, &record);
      add_op(&from, &record, seeds);
    }
  }
}
