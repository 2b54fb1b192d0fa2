/* What a flatbuffer's schema is to the verifier: rows for each table. */
#ifndef ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_
#define ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_

#include <stddef.h>
#include <stdint.h>

typedef enum et_schema_kind {
  ET_KIND_SCALAR,  /* `detail` bytes */
  ET_KIND_TEXT,    /* bytes, then a NUL that the length does not count */
  ET_KIND_SCALARS, /* vector, `detail` bytes an element */
  ET_KIND_TABLE,   /* `detail` is its number */
  ET_KIND_TABLES,  /* vector of them */
  ET_KIND_UNION,   /* value of a union; `detail` is its number; the tag
                    * is the field before */
} et_schema_kind;

typedef struct et_schema_field {
  const char *name;
  uint8_t kind; /* et_schema_kind */
  uint8_t detail;
} et_schema_field;

typedef struct et_schema_table {
  const et_schema_field *fields;
  uint16_t field_count;
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
  const et_schema_union *unions;
} et_schema;

/* Rows of a table's fields, in the order of their numbers. */
#define ET_SCHEMA_SCALAR(name, bytes) {name, ET_KIND_SCALAR, bytes}
#define ET_SCHEMA_TEXT(name) {name, ET_KIND_TEXT, 0}
#define ET_SCHEMA_SCALARS(name, bytes) {name, ET_KIND_SCALARS, bytes}
#define ET_SCHEMA_TABLE(name, table) {name, ET_KIND_TABLE, table}
#define ET_SCHEMA_TABLES(name, table) {name, ET_KIND_TABLES, table}
#define ET_SCHEMA_UNION(name, number) {name, ET_KIND_UNION, number}

#endif /* ET_RUNTIME_PROGRAM_SCHEMA_TYPES_H_ */
