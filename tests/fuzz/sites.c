#include "tests/fuzz/mutate.h"

#include <stdbool.h>
#include <string.h>

#include "backends/xnnpack/runtime/graph.h"
#include "backends/xnnpack/runtime/schema.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"

/* Only this many elements of a long vector, such as weights or text, become sites. */
#define LONGEST_VECTOR 64

#define LENGTH_KIND 0x8000u

/* The header of a data file: its length, then the positions of tables and segments. */
#define IS_DATA "FT01"
#define HEADER_KIND 0x4000u
#define HEADER_AT 12u
#define HEADER_OFFSETS 4u

/* The magic and the header fields of XNNPACK payloads. */
#define IS_XNNPACK "XH00"
#define XNNPACK_KIND 0x2000u
#define XNNPACK_HEADER_KIND 0x6000u
#define XNNPACK_HEADER_BYTES 30u

/* The number of fields of a table. */
#define KINDS_OF_TABLE 32

/* One flatbuffer: the program itself, or one inside it. */
typedef struct walk {
  et_span program;
  uint32_t base; /* position of the flatbuffer in the file */
  const et_schema *schema;
  uint16_t first_kind;
  et_site_list *list;
} walk;

static void add(walk *w, uint32_t position, uint16_t kind, uint8_t width) {
  et_site_list_add(w->list, w->base + position, kind, width);
}

/* If `width` is 0, only the length is a site, because the elements are not
 * scalars. */
static et_fb_vector add_vector(walk *w, uint32_t target, uint16_t kind,
                               uint8_t width) {
  const et_fb_vector vector =
      (et_fb_vector)(const void *)(w->program.data + target);
  add(w, target, kind | LENGTH_KIND, 4);
  for (uint32_t i = 0; i < et_fb_count(vector) && i < LONGEST_VECTOR; i++) {
    if (width != 0) {
      add(w, target + 4 + i * width, kind, width);
    }
  }
  return vector;
}

static void add_table(walk *w, uint32_t position, uint8_t type);

static void add_tables(walk *w, uint32_t target, uint16_t kind, uint8_t type) {
  const et_fb_vector tables = add_vector(w, target, kind, 0);
  for (uint32_t i = 0; i < et_fb_count(tables); i++) {
    add_table(w, et_fb_check_offset(w->program, target + 4 + 4 * i), type);
  }
}

static void add_field(walk *w, et_fb_table table, uint8_t type,
                      uint16_t number) {
  const et_schema_field field = et_schema_field_of(w->schema, type, number);
  const uint8_t is = et_schema_kind_of(field);
  const uint8_t detail = et_schema_detail_of(field);
  const uint16_t kind =
      (uint16_t)(w->first_kind + type * KINDS_OF_TABLE + number);
  const bool is_scalar = is == ET_KIND_SCALAR;
  const uint32_t offset = et_fb_find(table, number, is_scalar ? detail : 4);
  if (offset <= ET_FB_BROKEN) {
    return;
  }
  const uint32_t slot = et_fb_position(w->program, table) + offset;
  if (is_scalar) {
    add(w, slot, kind, detail);
    return;
  }
  const uint32_t target = et_fb_check_offset(w->program, slot);
  if (is == ET_KIND_TABLE) {
    add_table(w, target, detail);
  } else if (is == ET_KIND_TABLES) {
    add_tables(w, target, kind, detail);
  } else if (is == ET_KIND_UNION) {
    const uint8_t tag = et_fb_u8(table, number - 1u);
    add_table(w, target, w->schema->unions[detail].members[tag]);
  } else {
    add_vector(w, target, kind, is == ET_KIND_TEXT ? 1 : detail);
  }
}

static void add_table(walk *w, uint32_t position, uint8_t type) {
  if (et_fb_check_table(w->program, position) != 0) {
    const et_fb_table table = et_fb_table_at(w->program, position);
    for (uint16_t i = 0; i < w->schema->tables[type].field_count; i++) {
      add_field(w, table, type, i);
    }
  }
}

static void add_root(walk *w) {
  uint32_t root = 0;
  memcpy(&root, w->program.data, sizeof root);
  add_table(w, root, w->schema->root);
}

static void add_header(et_site_list *list) {
  et_site_list_add(list, HEADER_AT, HEADER_KIND, 4);
  for (uint32_t i = 0; i < HEADER_OFFSETS; i++) {
    et_site_list_add(list, HEADER_AT + 4 + 8 * i,
                     (uint16_t)(HEADER_KIND + 1 + i), 8);
  }
}

/* Adds the length, then the offset and size of the flatbuffer and of the
 * constants. */
static void add_xnnpack_header(et_site_list *list, uint32_t at) {
  static const uint8_t fields[][2] = {
      {8, 2}, {10, 4}, {14, 4}, {18, 4}, {22, 8}};
  for (uint16_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    et_site_list_add(list, at + fields[i][0],
                     (uint16_t)(XNNPACK_HEADER_KIND + i), fields[i][1]);
  }
}

/* Adds the flatbuffer of the payload that starts at `at`, if any. */
static void add_payload(et_span file, uint32_t at, et_site_list *list) {
  const et_span payload = {file.data + at, file.size - at};
  et_xnn_graph graph;
  uint32_t offset = 0;
  uint32_t size = 0;
  if (memcmp(payload.data + 4, IS_XNNPACK, 4) != 0 ||
      et_xnn_graph_open(payload, NULL, &graph) != ET_STATUS_OK) {
    return;
  }
  memcpy(&offset, payload.data + 10, sizeof offset);
  memcpy(&size, payload.data + 14, sizeof size);
  walk w = {.program = {payload.data + offset, size},
            .base = at + offset,
            .schema = &et_xnn_schema,
            .first_kind = XNNPACK_KIND,
            .list = list};
  add_xnnpack_header(list, at);
  add_root(&w);
}

const char *et_sites_missing_kind(void) { return NULL; }

et_site *et_sites_of(et_span file, size_t *out_count) {
  const bool is_data = memcmp(file.data + 4, IS_DATA, 4) == 0;
  et_site_list list = {NULL, 0, 0};
  walk w = {.program = file,
            .schema = is_data ? &et_flat_tensor_schema : &et_program_schema,
            .list = &list};
  if (is_data) {
    add_header(&list);
  }
  add_root(&w);
  for (uint32_t at = 0; at + XNNPACK_HEADER_BYTES <= file.size; at += 4) {
    add_payload(file, at, &list);
  }
  et_site_list_sort(&list);
  *out_count = list.count;
  return list.sites;
}
