/* The fields of ops in payloads, for tests that change single fields. */
#ifndef BACKENDS_CPU_SCHEMA_OP_FIELDS_H_
#define BACKENDS_CPU_SCHEMA_OP_FIELDS_H_

#include "executorch/backend.h"

/* The contents of an attribute word. */
typedef enum et_cpu_field_kind {
  ET_CPU_FIELD_INT, /* an integer, an enum or a boolean */
  ET_CPU_FIELD_FLOAT,
  ET_CPU_FIELD_ANY /* either, depending on another field */
} et_cpu_field_kind;

typedef struct et_cpu_word_field {
  const char *name; /* such as "window.kernel[0]" */
  et_cpu_field_kind kind;
} et_cpu_word_field;

/* One op. Rules and ranges are in its schema (et_cpu_op_schema), in the same order. */
typedef struct et_cpu_op_fields {
  const et_backend_part *part; /* content: et_cpu_op_type */
  const char *const *tensors;  /* names, one for each rule */
  /* One for each fixed word, then one for each word of a repetition. */
  const et_cpu_word_field *words;
} et_cpu_op_fields;

/* All ops of payloads. */
extern const et_cpu_op_fields et_cpu_all_op_fields[];
extern const size_t et_cpu_op_fields_count;

#endif /* BACKENDS_CPU_SCHEMA_OP_FIELDS_H_ */
