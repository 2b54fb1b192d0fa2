#include "tests/fuzz/payloads/xnnpack_seeds.h"

#include <stdlib.h>
#include <string.h>

#include "backends/xnnpack/runtime/graph.h"
#include "backends/xnnpack/runtime/node.h"
#include "backends/xnnpack/runtime/schema.h"
#include "executorch/program.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/source.h"
#include "runtime/program/tables.h"

#define HEADER_BYTES 30u
#define MAGIC "XH00"
#define MAX_PAYLOAD_BYTES (1u << 18)
#define MAX_FIELDS 32

/* ---- A writer of flatbuffers ---- */

typedef struct writer {
  et_span from; /* the flatbuffer to copy */
  uint8_t *bytes;
  uint32_t size;
  uint32_t capacity;
} writer;

/* Appends zeros at the next multiple of `alignment`. Returns their position. */
static uint32_t reserve(writer *w, uint32_t count, uint32_t alignment) {
  const uint32_t at = (w->size + alignment - 1) / alignment * alignment;
  if (at + count > w->capacity) {
    w->capacity = 2 * (at + count);
    w->bytes = realloc(w->bytes, w->capacity);
    if (w->bytes == NULL) {
      abort();
    }
  }
  memset(w->bytes + w->size, 0, at + count - w->size);
  w->size = at + count;
  return at;
}

static void put_u16(writer *w, uint32_t at, uint32_t value) {
  const uint16_t word = (uint16_t)value;
  memcpy(w->bytes + at, &word, sizeof word);
}

static void put_u32(writer *w, uint32_t at, uint32_t value) {
  memcpy(w->bytes + at, &value, sizeof value);
}

static void link_to(writer *w, uint32_t slot, uint32_t target) {
  put_u32(w, slot, target - slot);
}

static uint32_t slot_bytes(et_schema_field field) {
  return et_schema_kind_of(field) == ET_KIND_SCALAR ? et_schema_detail_of(field)
                                                    : 4u;
}

/* Writes a vtable and a table with all scalars, and with the other fields that
 * `table` has. Sets the position of each slot, or 0 for an absent field.
 * Returns the position of the table. */
static uint32_t write_slots(writer *w, et_fb_table table, uint8_t type,
                            uint32_t slots[MAX_FIELDS]) {
  const uint32_t count = et_xnn_schema.tables[type].field_count;
  const uint32_t vtable = reserve(w, 4 + 2 * count, 2);
  const uint32_t at = reserve(w, 4, 8);
  for (uint16_t i = 0; i < count; i++) {
    const et_schema_field field = et_schema_field_of(&et_xnn_schema, type, i);
    const uint32_t bytes = slot_bytes(field);
    const bool is_scalar = et_schema_kind_of(field) == ET_KIND_SCALAR;
    slots[i] = 0;
    if (is_scalar || et_fb_has(table, i)) {
      slots[i] = reserve(w, bytes, bytes);
      put_u16(w, vtable + 4 + 2u * i, slots[i] - at);
    }
    const uint32_t found =
        is_scalar ? et_fb_find(table, i, bytes) : ET_FB_BROKEN;
    if (found > ET_FB_BROKEN) {
      memcpy(w->bytes + slots[i],
             w->from.data + et_fb_position(w->from, table) + found, bytes);
    }
  }
  put_u16(w, vtable, 4 + 2 * count);
  put_u16(w, vtable + 2, w->size - at);
  put_u32(w, at, at - vtable);
  return at;
}

/* Copies a vector of scalars or a string, with zeros after its end. */
static void copy_vector(writer *w, uint32_t slot, et_fb_table table,
                        uint16_t number, uint32_t width) {
  const et_fb_vector vector = et_fb_list(table, number);
  const uint32_t bytes = width * et_fb_count(vector);
  const uint32_t at = reserve(w, 4 + bytes + 8, 4);
  put_u32(w, at, et_fb_count(vector));
  memcpy(w->bytes + at + 4, et_fb_first(vector), bytes);
  link_to(w, slot, at);
}

static uint32_t copy_table(writer *w, et_fb_table table, uint8_t type,
                           int depth);

static void copy_tables(writer *w, uint32_t slot, et_fb_table table,
                        uint16_t number, uint8_t type, int depth) {
  const et_fb_vector tables = et_fb_list(table, number);
  const uint32_t count = et_fb_count(tables);
  const uint32_t at = reserve(w, 4 + 4 * count, 4);
  put_u32(w, at, count);
  link_to(w, slot, at);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t child =
        copy_table(w, et_fb_child_at(tables, i), type, depth);
    link_to(w, at + 4 + 4 * i, child);
  }
}

/* Copies a table and its children. `depth` limits the recursion, as the schema
 * does. */
static uint32_t copy_table(writer *w, et_fb_table table, uint8_t type,
                           int depth) {
  uint32_t slots[MAX_FIELDS];
  const uint32_t at = write_slots(w, table, type, slots);
  for (uint16_t i = 0; i < et_xnn_schema.tables[type].field_count; i++) {
    const et_schema_field field = et_schema_field_of(&et_xnn_schema, type, i);
    const uint8_t detail = et_schema_detail_of(field);
    const uint8_t kind = et_schema_kind_of(field);
    if (slots[i] == 0 || kind == ET_KIND_SCALAR || depth == 0) {
      continue;
    }
    if (kind == ET_KIND_TABLES) {
      copy_tables(w, slots[i], table, i, detail, depth - 1);
    } else if (kind == ET_KIND_TEXT || kind == ET_KIND_SCALARS) {
      copy_vector(w, slots[i], table, i, kind == ET_KIND_TEXT ? 1 : detail);
    } else {
      const uint8_t member =
          kind == ET_KIND_TABLE
              ? detail
              : et_xnn_schema.unions[detail].members[et_fb_u8(table, i - 1u)];
      link_to(w, slots[i],
              copy_table(w, et_fb_child(table, i), member, depth - 1));
    }
  }
  return at;
}

#define MAX_DEPTH 8

/* Returns a rewritten flatbuffer, with root and identifier. */
static writer rewrite(et_span flatbuffer) {
  writer w = {.from = flatbuffer};
  uint32_t root = 0;
  memcpy(&root, flatbuffer.data, sizeof root);
  reserve(&w, 8, 8);
  memcpy(w.bytes + 4, flatbuffer.data + 4, 4);
  const uint32_t at = copy_table(&w, et_fb_table_at(flatbuffer, root),
                                 et_xnn_schema.root, MAX_DEPTH);
  put_u32(&w, 0, at);
  return w;
}

/* ---- Payloads ---- */

/* The regions of a payload. */
typedef struct regions {
  et_span flatbuffer;
  et_span constants;
} regions;

static regions regions_of(et_span payload) {
  uint32_t words[3];
  uint64_t bytes = 0;
  memcpy(words, payload.data + 10, sizeof words);
  memcpy(&bytes, payload.data + 22, sizeof bytes);
  return (regions){{payload.data + words[0], words[1]},
                   {payload.data + words[2], (size_t)bytes}};
}

et_span et_xnn_seed_flatbuffer(et_span payload) {
  return regions_of(payload).flatbuffer;
}

/* Returns the rewritten payload. The caller frees its bytes. */
static et_span rebuild(et_span payload) {
  const regions from = regions_of(payload);
  writer inner = rewrite(from.flatbuffer);
  writer w = {.bytes = NULL};
  const uint64_t constant_bytes = from.constants.size;
  reserve(&w, HEADER_BYTES, 4);
  const uint32_t at = reserve(&w, inner.size, ET_XNN_SEED_FLATBUFFER);
  const uint32_t constants = reserve(&w, (uint32_t)from.constants.size, 16);
  memcpy(w.bytes, payload.data, 10);
  put_u32(&w, 10, at);
  put_u32(&w, 14, inner.size);
  put_u32(&w, 18, constants);
  memcpy(w.bytes + 22, &constant_bytes, sizeof constant_bytes);
  memcpy(w.bytes + at, inner.bytes, inner.size);
  if (from.constants.size > 0) {
    memcpy(w.bytes + constants, from.constants.data, from.constants.size);
  }
  free(inner.bytes);
  return (et_span){w.bytes, w.size};
}

/* Finds the named data of constants. Returns false if the program lacks some. */
static bool find_data(et_span file, const et_xnn_graph *graph, et_seed *seed) {
  et_program program;
  for (uint32_t i = 1; i < et_fb_count(graph->constants); i++) {
    const et_string key = et_xnn_constant_key(graph, i);
    et_piece piece;
    if (key.size == 0) {
      continue;
    }
    if (seed->data_count == ET_RUN_DATA ||
        et_program_load(file, &program, NULL) != ET_STATUS_OK ||
        !et_tables_named_data(&program, key, &piece)) {
      return false;
    }
    seed->data[seed->data_count++] =
        (et_run_data){key, {et_source_address(&program, piece), piece.size}};
  }
  return true;
}

static void add_payload(et_span file, et_span payload, et_seeds *seeds) {
  bool has_kind[ET_XNN_NODE_TAG_COUNT] = {true};
  et_xnn_graph graph;
  et_seed seed = {.kind = 0};
  if (et_xnn_graph_open(payload, NULL, &graph) != ET_STATUS_OK ||
      !find_data(file, &graph, &seed)) {
    return;
  }
  seed.payload = rebuild(payload);
  for (uint32_t i = 0; i < et_fb_count(graph.nodes); i++) {
    has_kind[et_xnn_node_at(&graph, i).tag] = true;
  }
  for (size_t i = 0;
       i < ET_XNN_NODE_TAG_COUNT && seed.payload.size <= MAX_PAYLOAD_BYTES;
       i++) {
    seed.kind = i;
    if (has_kind[i]) {
      et_seeds_add(seeds, &seed);
    }
  }
  free((void *)(uintptr_t)seed.payload.data);
}

void et_xnn_add_seeds(et_span file, et_seeds *seeds) {
  for (size_t at = 0; at + HEADER_BYTES <= file.size; at += 4) {
    const et_span rest = {file.data + at, file.size - at};
    if (memcmp(rest.data + 4, MAGIC, 4) == 0) {
      add_payload(file, rest, seeds);
    }
  }
}
