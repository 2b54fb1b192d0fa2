/* The fields of payloads of the CPU backend, as the schema declares them. */
#ifndef ET_TESTS_FUZZ_PAYLOADS_CPU_FIELDS_H_
#define ET_TESTS_FUZZ_PAYLOADS_CPU_FIELDS_H_

#include "backends/cpu/ops/op_schema.h"
#include "backends/cpu/runtime/payload.h"
#include "executorch/random.h"

/* How a field is changed. */
typedef enum et_cpu_change {
  ET_CPU_CHANGE_WORD,    /* an attribute */
  ET_CPU_CHANGE_TENSOR,  /* index of a value */
  ET_CPU_CHANGE_DIM_REF, /* index of a dim */
  ET_CPU_CHANGE_NUMBER,
  ET_CPU_CHANGE_CODE,  /* code of an op */
  ET_CPU_CHANGE_DTYPE, /* scalar type */
  ET_CPU_CHANGE_LIST,  /* a count: an element is inserted or removed */
  ET_CPU_CHANGE_RANK, /* a dim is inserted or removed; the order stays a permutation */
  ET_CPU_CHANGE_VALUE_SIZE, /* one dim of one value gets its own size */
  ET_CPU_CHANGE_SIZE,       /* a constant dim, with its maximum */
  ET_CPU_CHANGE_DYNAMIC     /* a constant dim becomes the size of an input */
} et_cpu_change;

/* One field, and the range of its new value. */
typedef struct et_cpu_field {
  et_cpu_change role;
  size_t kind; /* index of its op; et_cpu_op_fields_count: the payload */
  size_t id;   /* unique in the kind */
  size_t at;   /* word */
  size_t list; /* first word of the list, for a count or rank */
  size_t step; /* words of an element of the list */
  int64_t low; /* bounds of the new value */
  int64_t high;
  bool is_float;
  bool is_any; /* integer or float */
  const char *owner;
  const char *name;
} et_cpu_field;

/* Returns the schema of the op with index `kind` in et_cpu_all_op_fields. */
const et_cpu_op_schema *et_cpu_schema_of(size_t kind);

/* Returns a random field. Attributes and tensors of ops have the highest probability. */
et_cpu_field et_cpu_draw_field(const et_cpu_payload *payload,
                               et_random *random);

#endif /* ET_TESTS_FUZZ_PAYLOADS_CPU_FIELDS_H_ */
