/* Verification of the declared properties of an op: counts, dtypes, ranks and attribute ranges. The
 * tables are generated from backends/cpu/schema. */
#ifndef BACKENDS_CPU_OPS_OP_SCHEMA_H_
#define BACKENDS_CPU_OPS_OP_SCHEMA_H_

#include "backends/cpu/ops/op.h"

#define ET_CPU_ANY_DIMS UINT16_MAX

typedef struct et_cpu_tensor_rule {
  uint16_t dtypes; /* bit d is set if scalar type d is allowed */
  uint8_t min_rank;
  uint8_t max_rank;
} et_cpu_tensor_rule;

/* Inclusive bounds of an attribute word, read as int32. */
typedef struct et_cpu_attribute_range {
  int32_t low;
  int32_t high;
} et_cpu_attribute_range;

/* Indices of two special ranges: any word, and a positive finite float. */
#define ET_CPU_RANGE_ANY 0
#define ET_CPU_RANGE_POSITIVE 1

extern const et_cpu_attribute_range et_cpu_attribute_ranges[];

/* Declared properties of an op. `inputs` and `outputs` are minimum and maximum counts. */
typedef struct et_cpu_op_schema {
  const char *name;
  /* Rules for inputs, outputs and workspaces. The last input rule applies to all
   * remaining inputs, the last output rule to all remaining outputs. */
  const et_cpu_tensor_rule *tensors;
  const uint8_t *ranges; /* one per fixed word, then one per repeated word */
  uint8_t inputs[2];
  uint8_t outputs[2];
  uint8_t workspaces;
  uint8_t input_rules;
  uint8_t output_rules;
  uint8_t words;          /* number of fixed attribute words */
  uint8_t repeated_words; /* words per repetition, or 0 */
  /* 1 + index of the input that output 0 may overwrite. 0 if no output may overlap another tensor
   * of the op. */
  uint8_t in_place;
  uint16_t dims; /* number of dims, or ET_CPU_ANY_DIMS */
} et_cpu_op_schema;

/* Verifies the declared properties of `op`. Fails with DELEGATE_INCOMPATIBLE. */
et_status et_cpu_check_schema(const et_cpu_op *op,
                              const et_cpu_op_schema *schema, et_error *error);

/* Verifies `op` completely: first its schema, then the relations between its tensors. */
et_status et_cpu_check_op(const et_cpu_op *op, et_error *error);

#endif /* BACKENDS_CPU_OPS_OP_SCHEMA_H_ */
