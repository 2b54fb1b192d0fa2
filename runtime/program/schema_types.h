/* What a flatbuffer's schema is to the verifier: rows for each table. */
#ifndef ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_
#define ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_

#include <stddef.h>
#include <stdint.h>

/* What a field is, in the upper bits of a byte; `detail` is below 32. */
typedef enum et_schema_kind {
  ET_KIND_SCALAR = 0x00,  /* `detail` bytes */
  ET_KIND_TEXT = 0x20,    /* bytes, then a NUL that the length does not count */
  ET_KIND_SCALARS = 0x40, /* vector, `detail` bytes an element */
  ET_KIND_TABLE = 0x60,   /* `detail` is its number */
  ET_KIND_TABLES = 0x80,  /* vector of them */
  ET_KIND_UNION = 0xA0,   /* value of a union; `detail` is its number; the tag
                           * is the field before */
} et_schema_kind;

/* Small numbers, no addresses: a schema is a good part of what the core takes. */
typedef struct et_schema_field {
  uint8_t is; /* kind, and detail in the bits below */
#ifndef ET_MESSAGES_CODES
  uint8_t name; /* number of the text in the schema's `names` */
#endif
} et_schema_field;

static inline uint8_t et_schema_kind_of(et_schema_field field) {
  return field.is & 0xE0;
}

static inline uint8_t et_schema_detail_of(et_schema_field field) {
  return field.is & 0x1F;
}

/* Rows of the schema's `fields`, in the order of their numbers. */
typedef struct et_schema_table {
  uint8_t first_field;
  uint8_t field_count;
} et_schema_table;

/* Member types by tag; entry 0, NONE, is unused. */
typedef struct et_schema_union {
  const uint8_t *members; /* numbers of tables */
  uint8_t count;
} et_schema_union;

/* A file's tables and unions by their numbers, and where it begins. */
typedef struct et_schema {
  const char *name; /* of the root, in messages */
  uint8_t root;     /* its table */
  const et_schema_table *tables;
  const et_schema_field *fields; /* of all tables */
  const char
      *names; /* of fields, each with its NUL; NULL where they are packed,
                      * or messages are reduced to codes */
  const et_schema_union *unions;
} et_schema;

static inline et_schema_field et_schema_field_of(const et_schema *schema,
                                                 uint8_t table,
                                                 unsigned number) {
  return schema->fields[schema->tables[table].first_field + number];
}

/* "" where messages are reduced to codes. O(number of names). */
const char *et_schema_name_of(const et_schema *schema, et_schema_field field);

/* That of a field of the table that a union has for a tag. */
const char *et_schema_name_in_union(const et_schema *schema, uint8_t union_id,
                                    uint8_t tag, unsigned field);

/* How a schema is written, given two lists: NAMES(X) has X(name) once for each name of a
 * field, TABLES(X) has X(number, rows, count) for each table.
 *
 *   ET_SCHEMA_NAMES(NAMES);
 *   ET_SCHEMA_FIELDS(TABLES);
 *   static const union et_schema_fields fields = {
 *       .rows.one = {ET_SCHEMA_TEXT(key), ...}, ...};
 *   static const et_schema_table tables[] = {TABLES(ET_SCHEMA_TABLE_ROW)};
 *   const et_schema one = {"file", ROOT, tables, fields.all, ET_SCHEMA_NAMES_TEXT(NAMES),
 *                          ...}; */
#define ET_SCHEMA_NAMES(LIST) enum et_schema_names { LIST(ET_SCHEMA_NAME) }
#define ET_SCHEMA_PACKED_NAMES(LIST) \
  enum et_schema_names { LIST(ET_SCHEMA_PACKED_NAME) }
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
#define ET_SCHEMA_PACKED_NAME(name) \
  ET_SCHEMA_NAME_##name = ET_PACKED_NAME_##name,
#define ET_SCHEMA_ROWS(table, rows, count) et_schema_field rows[count];
#define ET_SCHEMA_TABLE_ROW(table, rows, count)                               \
  [table] = {offsetof(struct et_schema_rows, rows) / sizeof(et_schema_field), \
             count},

/* Rows of a table's fields, in the order of their numbers, and the names' texts. */
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

#endif /* ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_ */
