#include "tests/fuzz/sites.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"
#include "tests/fuzz/site_list.h"

/* Of a long vector, weights or text, this many elements stand for all. */
#define LONGEST_VECTOR 64

#define LENGTH_KIND 0x8000u

/* The header of a data file: its length, then where tables and segments lie. */
#define IS_DATA "FT01"
#define HEADER_KIND 0x4000u
#define HEADER_AT 12u
#define HEADER_OFFSETS 4u

typedef struct walk {
  et_span program;
  et_site_list list;
} walk;

static void add(walk *w, uint32_t position, uint16_t kind, uint8_t width) {
  et_site_list_add(&w->list, position, kind, width);
}

/* `width` 0: the elements are no numbers, just the length is. */
static et_fb_vector add_vector(walk *w, uint32_t target, uint16_t kind,
                               uint8_t width) {
  et_fb_vector vector;
  et_fb_vector_at(w->program, target, width == 0 ? 4 : width, &vector);
  add(w, target, kind | LENGTH_KIND, 4);
  for (uint32_t i = 0; i < vector.count && i < LONGEST_VECTOR; i++) {
    if (width != 0) {
      add(w, vector.position + i * width, kind, width);
    }
  }
  return vector;
}

static void add_table(walk *w, uint32_t position, uint8_t type);

static void add_tables(walk *w, uint32_t target, uint16_t kind, uint8_t type) {
  const et_fb_vector tables = add_vector(w, target, kind, 0);
  for (uint32_t i = 0; i < tables.count; i++) {
    uint32_t child = 0;
    et_fb_follow(w->program, tables.position + 4 * i, &child);
    add_table(w, child, type);
  }
}

static void add_field(walk *w, const et_fb_table *table, uint8_t type,
                      uint16_t number) {
  const et_schema_field *field = &et_schema_tables[type].fields[number];
  const uint16_t kind = (uint16_t)(type * 16 + number);
  const bool is_scalar = field->kind == ET_KIND_SCALAR;
  uint32_t slot = 0;
  uint32_t target = 0;
  if (et_fb_find(table, number, is_scalar ? field->detail : 4, &slot) !=
      ET_FB_PRESENT) {
    return;
  }
  if (is_scalar) {
    add(w, slot, kind, field->detail);
    return;
  }
  et_fb_follow(w->program, slot, &target);
  if (field->kind == ET_KIND_TABLE) {
    add_table(w, target, field->detail);
  } else if (field->kind == ET_KIND_TABLES) {
    add_tables(w, target, kind, field->detail);
  } else if (field->kind == ET_KIND_UNION) {
    const uint8_t tag = et_fb_u8(table, (uint16_t)(number - 1));
    add_table(w, target, et_schema_unions[field->detail].members[tag]);
  } else {
    add_vector(w, target, kind,
               field->kind == ET_KIND_TEXT ? 1 : field->detail);
  }
}

static void add_table(walk *w, uint32_t position, uint8_t type) {
  et_fb_table table;
  if (et_fb_table_at(w->program, position, &table)) {
    for (uint16_t i = 0; i < et_schema_tables[type].field_count; i++) {
      add_field(w, &table, type, i);
    }
  }
}

static void add_header(walk *w) {
  add(w, HEADER_AT, HEADER_KIND, 4);
  for (uint32_t i = 0; i < HEADER_OFFSETS; i++) {
    add(w, HEADER_AT + 4 + 8 * i, (uint16_t)(HEADER_KIND + 1 + i), 8);
  }
}

et_site *et_sites_of(et_span file, size_t *out_count) {
  const bool is_data = memcmp(file.data + 4, IS_DATA, 4) == 0;
  walk w = {.program = file};
  uint32_t root = 0;
  memcpy(&root, file.data, sizeof root);
  if (is_data) {
    add_header(&w);
  }
  add_table(&w, root, is_data ? ET_TABLE_FLAT_TENSOR : ET_TABLE_PROGRAM);
  et_site_list_sort(&w.list);
  *out_count = w.list.count;
  return w.list.sites;
}
