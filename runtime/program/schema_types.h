/* Describes a flatbuffer schema to the verifier, one row for each field. */
#ifndef ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_
#define ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"
#include "executorch/status.h"

/* Type of a field, in the upper bits of a byte. The lower bits, below 32, are
 * `detail`. */
typedef enum et_schema_kind {
  ET_KIND_SCALAR = 0x00,  /* `detail` is its size in bytes */
  ET_KIND_TEXT = 0x20,    /* bytes and a NUL, which the length excludes */
  ET_KIND_SCALARS = 0x40, /* vector; `detail` is the element size */
  ET_KIND_TABLE = 0x60,   /* `detail` is its number */
  ET_KIND_TABLES = 0x80,  /* vector of tables */
  /* Value of union number `detail`; the previous field is the tag. */
  ET_KIND_UNION = 0xA0,
} et_schema_kind;

/* Small integers instead of pointers: schemas are a large part of the core's
 * size. */
typedef struct et_schema_field {
  uint8_t is; /* kind | detail */
#ifndef ET_MESSAGES_CODES
  uint8_t name; /* index into the schema's `names` */
#endif
} et_schema_field;

static inline uint8_t et_schema_kind_of(et_schema_field field) {
  return field.is & 0xE0;
}

static inline uint8_t et_schema_detail_of(et_schema_field field) {
  return field.is & 0x1F;
}

/* Rows of `fields` in the schema, in the order of field numbers. */
typedef struct et_schema_table {
  uint8_t first_field;
  uint8_t field_count;
} et_schema_table;

/* Member types by tag. Entry 0 (NONE) is unused. */
typedef struct et_schema_union {
  const uint8_t *members; /* table numbers */
  uint8_t count;
} et_schema_union;

/* The tables and unions of a file by number, and its root. */
typedef struct et_schema {
  const char *name; /* name of the root in messages */
  uint8_t root;     /* table number of the root */
  const et_schema_table *tables;
  const et_schema_field *fields; /* fields of all tables */
  /* Field names, each with its NUL; NULL in builds with codes. */
  const char *names;
  const et_schema_union *unions;
} et_schema;

static inline et_schema_field et_schema_field_of(const et_schema *schema,
                                                 uint8_t table,
                                                 unsigned number) {
  return schema->fields[schema->tables[table].first_field + number];
}

/* Returns a field's name, or "" in builds with codes. O(number of names). */
const char *et_schema_name_of(const et_schema *schema, et_schema_field field);

/* Returns the name of a field of the union member with this tag. */
const char *et_schema_name_in_union(const et_schema *schema, uint8_t union_id,
                                    uint8_t tag, unsigned field);

/* Macros that define a schema from two lists: NAMES(X) has X(name) for each
 * field name, and TABLES(X) has X(number, rows, count) for each table.
 *
 *   ET_SCHEMA_NAMES(NAMES);
 *   ET_SCHEMA_FIELDS(TABLES);
 *   static const union et_schema_fields fields = {
 *       .rows.one = {ET_SCHEMA_TEXT(key), ...}, ...};
 *   static const et_schema_table tables[] = {TABLES(ET_SCHEMA_TABLE_ROW)};
 *   const et_schema one = {"file", ROOT, tables, fields.all,
 *                          ET_SCHEMA_NAMES_TEXT(NAMES), ...}; */
#define ET_SCHEMA_NAMES(LIST) enum et_schema_names { LIST(ET_SCHEMA_NAME) }
#define ET_SCHEMA_FIELDS(LIST)                                        \
  struct et_schema_rows {                                             \
    LIST(ET_SCHEMA_ROWS)                                              \
  };                                                                  \
  union et_schema_fields {                                            \
    struct et_schema_rows rows;                                       \
    et_schema_field                                                   \
        all[sizeof(struct et_schema_rows) / sizeof(et_schema_field)]; \
  }
#define ET_SCHEMA_NAME(name) ET_SCHEMA_NAME_##name,
#define ET_SCHEMA_ROWS(table, rows, count) et_schema_field rows[count];
#define ET_SCHEMA_TABLE_ROW(table, rows, count)                               \
  [table] = {offsetof(struct et_schema_rows, rows) / sizeof(et_schema_field), \
             count},

/* Rows of a table's fields, in the order of field numbers, and the strings of
 * their names. */
#define ET_SCHEMA_IS(kind, detail) \
  (uint8_t)((kind) + (detail) + 0 * sizeof(char[(detail) < 0x20 ? 1 : -1]))
#ifdef ET_MESSAGES_CODES
#define ET_SCHEMA_FIELD(name, kind, detail) {ET_SCHEMA_IS(kind, detail)}
#define ET_SCHEMA_NAMES_TEXT(LIST) NULL
#else
#define ET_SCHEMA_FIELD(name, kind, detail) \
  {ET_SCHEMA_IS(kind, detail), ET_SCHEMA_NAME_##name}
#define ET_SCHEMA_NAMES_TEXT(LIST) LIST(ET_SCHEMA_NAME_TEXT)
#define ET_SCHEMA_NAME_TEXT(name) #name "\0"
#endif
#define ET_SCHEMA_SCALAR(name, bytes) \
  ET_SCHEMA_FIELD(name, ET_KIND_SCALAR, bytes)
#define ET_SCHEMA_TEXT(name) ET_SCHEMA_FIELD(name, ET_KIND_TEXT, 0)
#define ET_SCHEMA_SCALARS(name, bytes) \
  ET_SCHEMA_FIELD(name, ET_KIND_SCALARS, bytes)
#define ET_SCHEMA_TABLE(name, table) ET_SCHEMA_FIELD(name, ET_KIND_TABLE, table)
#define ET_SCHEMA_TABLES(name, table) \
  ET_SCHEMA_FIELD(name, ET_KIND_TABLES, table)
#define ET_SCHEMA_UNION(name, number) \
  ET_SCHEMA_FIELD(name, ET_KIND_UNION, number)

/* Verifies every table that is reachable from the table at `root`.
 *
 * Tables, vtables, vectors and strings must be in bounds. Strings must end with
 * a NUL. Unions must have a known tag and a value.
 *
 * INVALID_PROGRAM: the message has the path of the invalid element
 * ("execution_plan[0].values[3].val"). The time is linear in the buffer's size,
 * even if elements are shared by many owners. The stack depth is bounded by the
 * schema. */
et_status et_schema_verify(et_span buffer, const et_schema *schema,
                           uint32_t root, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_ */
