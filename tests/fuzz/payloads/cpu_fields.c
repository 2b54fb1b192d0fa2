#include "tests/fuzz/payloads/cpu_fields.h"

#include "backends/cpu/schema/op_fields.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/payloads/cpu_seeds.h"

/* Sections, from which fields are drawn with different probabilities. */
typedef enum section { ATTRIBUTES, VALUES, OPERANDS, FORMAT, SECTIONS } section;
static const uint8_t chances[SECTIONS] = {38, 38, 14, 10}; /* percent */

/* First ids of fields. Those of attribute words begin at 0. */
enum {
  VALUE_ID = 256,
  OP_ID = 768,
  HEADER_ID = 784,
  DIM_ID = 800,
  DATA_ID = 810
};
#define VALUE_IDS 16 /* field ids per tensor rule */

/* One random field of each section. */
typedef struct choice {
  et_random *random;
  const et_cpu_payload *payload;
  et_cpu_field fields[SECTIONS];
  size_t counts[SECTIONS];
} choice;

const et_cpu_op_schema *et_cpu_schema_of(size_t kind) {
  const et_cpu_op_type *type = et_cpu_all_op_fields[kind].part->content;
  return type->schema;
}

static void add(choice *c, section s, const et_cpu_field *f) {
  if (et_random_below(c->random, ++c->counts[s]) == 0) {
    c->fields[s] = *f;
  }
}

static void add_number(choice *c, section s, size_t kind, size_t id, size_t at,
                       int64_t high, const char *owner, const char *name) {
  const et_cpu_field f = {.role = ET_CPU_CHANGE_NUMBER,
                          .kind = kind,
                          .id = id,
                          .at = at,
                          .high = high,
                          .owner = owner,
                          .name = name};
  add(c, s, &f);
}

static void add_header(choice *c) {
  static const char *const names[ET_CPU_PAYLOAD_HEADER_WORDS] = {
      "magic",  "version", "words", "inputs",        "outputs",  "dims",
      "values", "data",    "ops",   "scratch bytes", "key bytes"};
  for (size_t i = 0; i < ET_CPU_PAYLOAD_HEADER_WORDS; i++) {
    add_number(c, FORMAT, et_cpu_op_fields_count, HEADER_ID + i, i, INT32_MAX,
               "header", names[i]);
  }
}

static void add_dims(choice *c) {
  static const char *const names[] = {"op", "a", "b", "maximum"};
  const size_t kind = et_cpu_op_fields_count;
  for (uint32_t i = 0; i < c->payload->dim_count; i++) {
    const size_t at =
        ET_CPU_PAYLOAD_HEADER_WORDS + (size_t)ET_CPU_DIM_WORDS * i;
    const int64_t highest[] = {ET_CPU_DIM_OP_MAX, c->payload->dim_count,
                               c->payload->dim_count, INT32_MAX};
    for (size_t k = 0; k < ET_CPU_DIM_WORDS; k++) {
      add_number(c, FORMAT, kind, DIM_ID + k, at + k, highest[k], "dims",
                 names[k]);
    }
    if (et_cpu_dim_at(c->payload, i).op == ET_CPU_DIM_OP_CONST) {
      const et_cpu_field size = {.role = ET_CPU_CHANGE_SIZE,
                                 .kind = kind,
                                 .id = DIM_ID + 4,
                                 .at = at,
                                 .high = INT32_MAX,
                                 .owner = "dims",
                                 .name = "size"};
      const et_cpu_field dynamic = {.role = ET_CPU_CHANGE_DYNAMIC,
                                    .kind = kind,
                                    .id = DIM_ID + 5,
                                    .at = at,
                                    .owner = "dims",
                                    .name = "dynamic"};
      add(c, VALUES, &size);
      add(c, VALUES, &dynamic);
    }
  }
}

/* Returns the rule of tensor `i` of an op. */
static size_t rule_of(const et_cpu_op_schema *schema,
                      const et_cpu_op_record *op, size_t i) {
  if (i < op->input_count) {
    return i < schema->input_rules ? i : schema->input_rules - 1u;
  }
  i -= op->input_count;
  if (i < op->output_count) {
    return schema->input_rules +
           (i < schema->output_rules ? i : schema->output_rules - 1u);
  }
  return (size_t)schema->input_rules + schema->output_rules + i -
         op->output_count;
}

/* Adds the fields of a value. `kind` is that of its op or of the payload. */
static void add_value(choice *c, size_t kind, size_t rule, const char *owner,
                      const et_cpu_value *value) {
  static const char *const names[] = {"dtype", "rank",   "place",
                                      "index", "offset", "order"};
  const int64_t highest[] = {32, 0,         ET_CPU_PLACE_STATE,
                             16, INT32_MAX, INT32_MAX};
  const size_t at = value->dims_at - ET_CPU_VALUE_ENTRY_WORDS;
  const size_t id = VALUE_ID + VALUE_IDS * rule;
  for (size_t i = 0; i < ET_CPU_VALUE_ENTRY_WORDS; i++) {
    const et_cpu_field f = {.role = i == 0   ? ET_CPU_CHANGE_DTYPE
                                    : i == 1 ? ET_CPU_CHANGE_RANK
                                             : ET_CPU_CHANGE_NUMBER,
                            .kind = kind,
                            .id = id + i,
                            .at = at + i,
                            .list = value->dims_at,
                            .step = 1,
                            .high = highest[i],
                            .owner = owner,
                            .name = names[i]};
    add(c, VALUES, &f);
  }
  for (uint32_t i = 0; i < value->rank; i++) {
    const et_cpu_field ref = {.role = ET_CPU_CHANGE_DIM_REF,
                              .kind = kind,
                              .id = id + 7,
                              .at = value->dims_at + i,
                              .owner = owner,
                              .name = "dim"};
    et_cpu_field size = ref;
    size.role = ET_CPU_CHANGE_VALUE_SIZE;
    size.id = id + 8;
    size.high = INT32_MAX;
    size.name = "size";
    add(c, VALUES, &ref);
    add(c, VALUES, &size);
    /* twice, so that it is drawn more often than the reference */
    add(c, VALUES, &size);
  }
}

static void add_values(choice *c, const et_cpu_op_record *op) {
  size_t at = c->payload->values_at;
  et_cpu_value value;
  const size_t kind =
      op != NULL ? et_cpu_kind_of(op->kind) : et_cpu_op_fields_count;
  for (uint32_t i = 0; i < c->payload->value_count; i++) {
    et_cpu_read_value(c->payload, &at, &value);
    size_t rule = 0;
    const char *owner = "values";
    for (uint32_t k = op != NULL ? op->tensor_count : 0; k-- > 0;) {
      if (et_cpu_word(c->payload, op->tensors_at + k) == i) {
        rule = rule_of(et_cpu_schema_of(kind), op, k);
        owner = et_cpu_all_op_fields[kind].tensors[rule];
      }
    }
    add_value(c, kind, rule, owner, &value);
  }
}

static void add_attributes(choice *c, size_t kind, const et_cpu_op_record *op) {
  const et_cpu_op_schema *schema = et_cpu_schema_of(kind);
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const size_t word =
        i < schema->words || schema->repeated_words == 0
            ? i
            : schema->words + (i - schema->words) % schema->repeated_words;
    const et_cpu_word_field *declared = &et_cpu_all_op_fields[kind].words[word];
    const uint8_t range = schema->ranges[word];
    et_cpu_field f = {.role = ET_CPU_CHANGE_WORD,
                      .kind = kind,
                      .id = word,
                      .at = op->attributes_at + i,
                      .low = INT32_MIN,
                      .high = INT32_MAX,
                      .is_float = declared->kind == ET_CPU_FIELD_FLOAT,
                      .is_any = declared->kind == ET_CPU_FIELD_ANY,
                      .owner = "attributes",
                      .name = declared->name};
    if (range > ET_CPU_RANGE_POSITIVE) {
      f.low = et_cpu_attribute_ranges[range].low;
      f.high = et_cpu_attribute_ranges[range].high;
    }
    add(c, ATTRIBUTES, &f);
  }
}

static void add_operands(choice *c, size_t kind, const et_cpu_op_record *op) {
  static const char *const names[] = {"inputs", "outputs", "workspaces", "dims",
                                      "attributes"};
  const uint32_t counts[] = {op->input_count, op->output_count,
                             op->workspace_count, op->dim_count,
                             op->attribute_count};
  const size_t at = op->tensors_at - ET_CPU_OP_ENTRY_WORDS;
  const et_cpu_op_schema *schema = et_cpu_schema_of(kind);
  size_t list = op->tensors_at;
  add(c, OPERANDS,
      &(et_cpu_field){.role = ET_CPU_CHANGE_CODE,
                      .kind = kind,
                      .id = OP_ID,
                      .at = at,
                      .owner = "op",
                      .name = "code"});
  for (size_t i = 0; i < 5; i++) {
    const size_t words = schema->repeated_words;
    const et_cpu_field f = {.role = ET_CPU_CHANGE_LIST,
                            .kind = kind,
                            .id = OP_ID + 1 + i,
                            .at = at + 1 + i,
                            .list = list,
                            .step = i == 4 && words > 0 ? words : 1,
                            .owner = "op",
                            .name = names[i]};
    add(c, OPERANDS, &f);
    list += counts[i];
  }
  for (uint32_t i = 0; i < op->tensor_count; i++) {
    const size_t rule = rule_of(schema, op, i);
    const et_cpu_field f = {.role = ET_CPU_CHANGE_TENSOR,
                            .kind = kind,
                            .id = VALUE_ID + VALUE_IDS * rule + 6,
                            .at = op->tensors_at + i,
                            .owner = et_cpu_all_op_fields[kind].tensors[rule],
                            .name = "tensor"};
    add(c, OPERANDS, &f);
  }
  for (uint32_t i = 0; i < op->dim_count; i++) {
    add(c, OPERANDS,
        &(et_cpu_field){.role = ET_CPU_CHANGE_DIM_REF,
                        .kind = kind,
                        .id = OP_ID + 6,
                        .at = op->dims_at + i,
                        .owner = "op",
                        .name = "dim"});
  }
}

/* Adds the fields of the whole payload. In a one-op payload, values belong
 * to the op. */
static void add_all(choice *c) {
  size_t at = c->payload->ops_at;
  et_cpu_op_record op;
  add_header(c);
  add_dims(c);
  for (uint32_t i = 0; i < c->payload->data_count; i++) {
    static const char *const names[] = {"key offset", "key size", "bytes"};
    for (size_t k = 0; k < 3; k++) {
      add_number(c, FORMAT, et_cpu_op_fields_count, DATA_ID + k,
                 c->payload->data_at + 3 * i + k, INT32_MAX, "data", names[k]);
    }
  }
  for (uint32_t i = 0; i < c->payload->op_count; i++) {
    et_cpu_read_op(c->payload, &at, &op);
    const size_t kind = et_cpu_kind_of(op.kind);
    add_attributes(c, kind, &op);
    add_operands(c, kind, &op);
  }
  add_values(c, c->payload->op_count == 1 ? &op : NULL);
}

static section draw_section(const choice *c) {
  for (;;) {
    size_t rest = et_random_below(c->random, 100);
    for (section s = ATTRIBUTES; s < SECTIONS; s++) {
      if (rest < chances[s]) {
        if (c->counts[s] > 0) {
          return s;
        }
        break;
      }
      rest -= chances[s];
    }
  }
}

et_cpu_field et_cpu_draw_field(const et_cpu_payload *payload,
                               et_random *random) {
  choice c = {.random = random, .payload = payload};
  add_all(&c);
  return c.fields[draw_section(&c)];
}
