/* Compares schema.h and schema.c with the files in schema/, field by field. */
#include "runtime/program/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/core/format.h"

#define WORD_BYTES 48

/* Each field in the .fbs files, and its number in schema.h. */
typedef struct number_row {
  const char *table;
  const char *field;
  int number;
} number_row;

static const number_row NUMBERS[] = {
    {"Program", "version", ET_PROGRAM_VERSION},
    {"Program", "execution_plan", ET_PROGRAM_EXECUTION_PLAN},
    {"Program", "constant_buffer", ET_PROGRAM_CONSTANT_BUFFER},
    {"Program", "backend_delegate_data", ET_PROGRAM_DELEGATE_DATA},
    {"Program", "segments", ET_PROGRAM_SEGMENTS},
    {"Program", "constant_segment", ET_PROGRAM_CONSTANT_SEGMENT},
    {"Program", "mutable_data_segments", ET_PROGRAM_MUTABLE_DATA_SEGMENTS},
    {"Program", "named_data", ET_PROGRAM_NAMED_DATA},
    {"ExecutionPlan", "name", ET_PLAN_NAME},
    {"ExecutionPlan", "container_meta_type", ET_PLAN_CONTAINER_META},
    {"ExecutionPlan", "values", ET_PLAN_VALUES},
    {"ExecutionPlan", "inputs", ET_PLAN_INPUTS},
    {"ExecutionPlan", "outputs", ET_PLAN_OUTPUTS},
    {"ExecutionPlan", "chains", ET_PLAN_CHAINS},
    {"ExecutionPlan", "operators", ET_PLAN_OPERATORS},
    {"ExecutionPlan", "delegates", ET_PLAN_DELEGATES},
    {"ExecutionPlan", "non_const_buffer_sizes", ET_PLAN_BUFFER_SIZES},
    {"ExecutionPlan", "non_const_buffer_device", ET_PLAN_BUFFER_DEVICES},
    {"NonConstBufferDevice", "buffer_idx", ET_BUFFER_DEVICE_INDEX},
    {"NonConstBufferDevice", "device_type", ET_BUFFER_DEVICE_TYPE},
    {"NonConstBufferDevice", "device_index", ET_BUFFER_DEVICE_NUMBER},
    {"ContainerMetadata", "encoded_inp_str", ET_CONTAINER_INPUTS},
    {"ContainerMetadata", "encoded_out_str", ET_CONTAINER_OUTPUTS},
    {"ContainerMetadata", "reserved_2", ET_CONTAINER_RESERVED_2},
    {"ContainerMetadata", "reserved_3", ET_CONTAINER_RESERVED_3},
    {"ContainerMetadata", "ranges", ET_CONTAINER_RANGES},
    {"ContainerMetadata", "conditions", ET_CONTAINER_CONDITIONS},
    {"ContainerMetadata", "condition_texts", ET_CONTAINER_CONDITION_TEXTS},
    {"EValue", "val_type", ET_EVALUE_TAG},
    {"EValue", "val", ET_EVALUE_VALUE},
    {"Chain", "inputs", ET_CHAIN_INPUTS},
    {"Chain", "outputs", ET_CHAIN_OUTPUTS},
    {"Chain", "instructions", ET_CHAIN_INSTRUCTIONS},
    {"Chain", "stacktrace", ET_CHAIN_STACKTRACE},
    {"FrameList", "items", ET_FRAME_LIST_ITEMS},
    {"Frame", "filename", ET_FRAME_FILENAME},
    {"Frame", "lineno", ET_FRAME_LINE},
    {"Frame", "name", ET_FRAME_NAME},
    {"Frame", "context", ET_FRAME_CONTEXT},
    {"Operator", "name", ET_OPERATOR_NAME},
    {"Operator", "overload", ET_OPERATOR_OVERLOAD},
    {"BackendDelegate", "id", ET_DELEGATE_ID},
    {"BackendDelegate", "processed", ET_DELEGATE_PROCESSED},
    {"BackendDelegate", "compile_specs", ET_DELEGATE_SPECS},
    {"BackendDelegateDataReference", "location", ET_PROCESSED_LOCATION},
    {"BackendDelegateDataReference", "index", ET_PROCESSED_INDEX},
    {"CompileSpec", "key", ET_SPEC_KEY},
    {"CompileSpec", "value", ET_SPEC_VALUE},
    {"Instruction", "instr_args_type", ET_INSTRUCTION_TAG},
    {"Instruction", "instr_args", ET_INSTRUCTION_ARGS},
    {"KernelCall", "op_index", ET_KERNEL_CALL_OPERATOR},
    {"KernelCall", "args", ET_KERNEL_CALL_ARGS},
    {"DelegateCall", "delegate_index", ET_DELEGATE_CALL_DELEGATE},
    {"DelegateCall", "args", ET_DELEGATE_CALL_ARGS},
    {"MoveCall", "move_from", ET_MOVE_FROM},
    {"MoveCall", "move_to", ET_MOVE_TO},
    {"JumpFalseCall", "cond_value_index", ET_JUMP_CONDITION},
    {"JumpFalseCall", "destination_instruction", ET_JUMP_DESTINATION},
    {"FreeCall", "value_index", ET_FREE_VALUE},
    {"Int", "int_val", ET_SINGLE_FIELD},
    {"Bool", "bool_val", ET_SINGLE_FIELD},
    {"Double", "double_val", ET_SINGLE_FIELD},
    {"String", "string_val", ET_SINGLE_FIELD},
    {"IntList", "items", ET_SINGLE_FIELD},
    {"DoubleList", "items", ET_SINGLE_FIELD},
    {"BoolList", "items", ET_SINGLE_FIELD},
    {"TensorList", "items", ET_SINGLE_FIELD},
    {"OptionalTensorList", "items", ET_SINGLE_FIELD},
    {"Tensor", "scalar_type", ET_TENSOR_SCALAR_TYPE},
    {"Tensor", "storage_offset", ET_TENSOR_STORAGE_OFFSET},
    {"Tensor", "sizes", ET_TENSOR_SIZES},
    {"Tensor", "dim_order", ET_TENSOR_DIM_ORDER},
    {"Tensor", "requires_grad", ET_TENSOR_REQUIRES_GRAD},
    {"Tensor", "data_buffer_idx", ET_TENSOR_DATA_BUFFER},
    {"Tensor", "allocation_info", ET_TENSOR_ALLOCATION},
    {"Tensor", "layout", ET_TENSOR_LAYOUT},
    {"Tensor", "shape_dynamism", ET_TENSOR_DYNAMISM},
    {"Tensor", "extra_tensor_info", ET_TENSOR_EXTRA},
    {"AllocationDetails", "memory_id", ET_ALLOCATION_MEMORY_ID},
    {"AllocationDetails", "memory_offset_low", ET_ALLOCATION_OFFSET_LOW},
    {"AllocationDetails", "memory_offset_high", ET_ALLOCATION_OFFSET_HIGH},
    {"ExtraTensorInfo", "mutable_data_segments_idx", ET_EXTRA_MUTABLE_SEGMENT},
    {"ExtraTensorInfo", "fully_qualified_name", ET_EXTRA_NAME},
    {"ExtraTensorInfo", "location", ET_EXTRA_LOCATION},
    {"ExtraTensorInfo", "device_type", ET_EXTRA_DEVICE_TYPE},
    {"ExtraTensorInfo", "device_index", ET_EXTRA_DEVICE_INDEX},
    {"Buffer", "storage", ET_SINGLE_FIELD},
    {"BackendDelegateInlineData", "data", ET_SINGLE_FIELD},
    {"DataSegment", "offset", ET_SEGMENT_OFFSET},
    {"DataSegment", "size", ET_SEGMENT_SIZE},
    {"SubsegmentOffsets", "segment_index", ET_SUBSEGMENT_INDEX},
    {"SubsegmentOffsets", "offsets", ET_SUBSEGMENT_OFFSETS},
    {"NamedData", "key", ET_NAMED_DATA_KEY},
    {"NamedData", "segment_index", ET_NAMED_DATA_SEGMENT},
    {"NamedData", "tensor_layout", ET_NAMED_DATA_LAYOUT},
    {"FlatTensor", "version", ET_FLAT_VERSION},
    {"FlatTensor", "segments", ET_FLAT_SEGMENTS},
    {"FlatTensor", "named_data", ET_FLAT_NAMED_DATA},
    {"TensorLayout", "scalar_type", ET_LAYOUT_SCALAR_TYPE},
    {"TensorLayout", "sizes", ET_LAYOUT_SIZES},
    {"TensorLayout", "dim_order", ET_LAYOUT_DIM_ORDER},
};

/* A name in an .fbs file, and its id in schema.h. */
typedef struct name_row {
  const char *name;
  uint8_t id;
} name_row;

static const name_row PROGRAM_TABLES[] = {
    {"Program", ET_TABLE_PROGRAM},
    {"ExecutionPlan", ET_TABLE_PLAN},
    {"NonConstBufferDevice", ET_TABLE_BUFFER_DEVICE},
    {"ContainerMetadata", ET_TABLE_CONTAINER},
    {"EValue", ET_TABLE_EVALUE},
    {"Chain", ET_TABLE_CHAIN},
    {"FrameList", ET_TABLE_FRAME_LIST},
    {"Frame", ET_TABLE_FRAME},
    {"Operator", ET_TABLE_OPERATOR},
    {"BackendDelegate", ET_TABLE_DELEGATE},
    {"BackendDelegateDataReference", ET_TABLE_PROCESSED},
    {"CompileSpec", ET_TABLE_SPEC},
    {"Instruction", ET_TABLE_INSTRUCTION},
    {"KernelCall", ET_TABLE_KERNEL_CALL},
    {"DelegateCall", ET_TABLE_DELEGATE_CALL},
    {"MoveCall", ET_TABLE_MOVE},
    {"JumpFalseCall", ET_TABLE_JUMP},
    {"FreeCall", ET_TABLE_FREE},
    {"Null", ET_TABLE_NULL},
    {"Int", ET_TABLE_INT},
    {"Bool", ET_TABLE_BOOL},
    {"Double", ET_TABLE_DOUBLE},
    {"String", ET_TABLE_STRING},
    {"Tensor", ET_TABLE_TENSOR},
    {"IntList", ET_TABLE_LIST_OF_8},
    {"DoubleList", ET_TABLE_LIST_OF_8},
    {"TensorList", ET_TABLE_LIST_OF_4},
    {"OptionalTensorList", ET_TABLE_LIST_OF_4},
    {"BoolList", ET_TABLE_LIST_OF_1},
    {"AllocationDetails", ET_TABLE_ALLOCATION},
    {"ExtraTensorInfo", ET_TABLE_EXTRA},
    {"Buffer", ET_TABLE_BUFFER},
    {"BackendDelegateInlineData", ET_TABLE_BUFFER},
    {"DataSegment", ET_TABLE_SEGMENT},
    {"SubsegmentOffsets", ET_TABLE_SUBSEGMENTS},
    {"NamedData", ET_TABLE_NAMED_DATA},
};
static const name_row FLAT_TENSOR_TABLES[] = {
    {"FlatTensor", ET_TABLE_FLAT_TENSOR},
    {"NamedData", ET_TABLE_FLAT_NAMED_DATA},
    {"TensorLayout", ET_TABLE_LAYOUT},
    {"DataSegment", ET_TABLE_SEGMENT},
};
static const name_row UNIONS[] = {
    {"KernelTypes", ET_UNION_VALUE},
    {"InstructionArguments", ET_UNION_INSTRUCTION},
};
/* Size of each scalar type. Enums must have type byte. */
static const name_row SCALARS[] = {
    {"ubyte", 1},        {"byte", 1},
    {"bool", 1},         {"int", 4},
    {"uint", 4},         {"long", 8},
    {"ulong", 8},        {"double", 8},
    {"ScalarType", 1},   {"TensorShapeDynamism", 1},
    {"DeviceType", 1},   {"TensorDataLocation", 1},
    {"DataLocation", 1},
};

#define ROWS(rows) (rows), sizeof(rows) / sizeof *(rows)

static const name_row *find(const name_row *rows, size_t count,
                            const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

static uint8_t id_of(const name_row *rows, size_t count, const char *name) {
  const name_row *row = find(rows, count, name);
  if (row == NULL) {
    fail_msg("no value for '%s'", name);
  }
  return row->id;
}

/* The text of an .fbs file, read word by word, and the tables that it must
 * have. */
static const name_row *tables;
static size_t table_count;
static char text[1u << 16];
static const char *at;

static void open_schema(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  assert_true(size != 0 && size < sizeof text - 1);
  text[size] = '\0';
  at = text;
}

static void skip_blank(void) {
  for (;;) {
    at += strspn(at, " \n");
    if (at[0] != '/' || at[1] != '/') {
      return;
    }
    at += strcspn(at, "\n");
  }
}

/* Reads the next name, string or punctuation mark; "" at the end. */
static const char *next_word(char word[WORD_BYTES]) {
  size_t size = 0;
  skip_blank();
  while (isalnum((unsigned char)at[size]) || at[size] == '_') {
    size++;
  }
  size = size == 0 && *at != '\0' ? 1 : size;
  assert_true(size < WORD_BYTES);
  memcpy(word, at, size);
  word[size] = '\0';
  at += size;
  return word;
}

static void expect_word(const char *expected) {
  char word[WORD_BYTES];
  assert_string_equal(next_word(word), expected);
}

static void expect_number(const char *table, const char *field, int number) {
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
    if (strcmp(NUMBERS[i].table, table) == 0 &&
        strcmp(NUMBERS[i].field, field) == 0) {
      assert_int_equal(NUMBERS[i].number, number);
      return;
    }
  }
  fail_msg("%s.%s is missing in schema.h", table, field);
}

/* The table that is being read. */
typedef struct reading {
  const char *table;
  const et_schema_table *fields;
  uint8_t id;
  uint16_t next;
} reading;

static void expect_field(reading *r, const char *name, uint8_t kind,
                         uint8_t detail) {
  assert_true(r->next < r->fields->field_count);
  const et_schema_field field =
      et_schema_field_of(&et_program_schema, r->id, r->next);
  expect_number(r->table, name, r->next);
  /* Two tables of the file share this one. */
  if (r->id != ET_TABLE_BUFFER) {
    char said[64];
    et_format(said, sizeof said, "%s",
              et_schema_name_of(&et_program_schema, field));
    assert_string_equal(said, name);
  }
  assert_int_equal(et_schema_kind_of(field), kind);
  assert_int_equal(et_schema_detail_of(field), detail);
  r->next++;
}

static void expect_union_field(reading *r, const char *name, uint8_t id) {
  char tag[WORD_BYTES + 8];
  snprintf(tag, sizeof tag, "%s_type", name);
  expect_field(r, tag, ET_KIND_SCALAR, 1);
  expect_field(r, name, ET_KIND_UNION, id);
}

static void expect_typed_field(reading *r, const char *name, const char *type,
                               bool is_vector) {
  const name_row *scalar = find(ROWS(SCALARS), type);
  const name_row *one_of = find(ROWS(UNIONS), type);
  if (scalar != NULL) {
    expect_field(r, name, is_vector ? ET_KIND_SCALARS : ET_KIND_SCALAR,
                 scalar->id);
  } else if (one_of != NULL) {
    expect_union_field(r, name, one_of->id);
  } else if (strcmp(type, "string") == 0) {
    expect_field(r, name, ET_KIND_TEXT, 0);
  } else {
    expect_field(r, name, is_vector ? ET_KIND_TABLES : ET_KIND_TABLE,
                 id_of(tables, table_count, type));
  }
}

/* Reads a type and returns its name without the namespace. */
static void next_type(char word[WORD_BYTES]) {
  next_word(word);
  while (*at == '.') {
    at++;
    next_word(word);
  }
}

/* Reads a field after its name: "type;", "[type];" or "[type] (attribute:
 * 16);". */
static void read_field(reading *r, const char *name) {
  char word[WORD_BYTES];
  expect_word(":");
  next_type(word);
  const bool is_vector = strcmp(word, "[") == 0;
  if (is_vector) {
    next_type(word);
    expect_word("]");
  }
  expect_typed_field(r, name, word, is_vector);
  while (strcmp(next_word(word), ";") != 0) {
    assert_string_not_equal(word, "");
  }
}

static void read_table(void) {
  char table[WORD_BYTES];
  char word[WORD_BYTES];
  reading r = {.table = next_word(table)};
  r.id = id_of(tables, table_count, table);
  r.fields = &et_program_schema.tables[r.id];
  expect_word("{");
  while (strcmp(next_word(word), "}") != 0) {
    read_field(&r, word);
  }
  assert_int_equal(r.next, r.fields->field_count);
}

static void read_union(void) {
  char word[WORD_BYTES];
  const et_schema_union *members =
      &et_program_schema.unions[id_of(ROWS(UNIONS), next_word(word))];
  expect_word("{");
  uint8_t count = 1; /* NONE */
  for (; strcmp(next_word(word), "}") != 0; count++) {
    assert_true(count < members->count);
    assert_int_equal(members->members[count], id_of(tables, table_count, word));
    expect_word(",");
  }
  assert_int_equal(count, members->count);
}

static void read_enum(void) {
  char word[WORD_BYTES];
  assert_int_equal(id_of(ROWS(SCALARS), next_word(word)), 1);
  expect_word(":");
  expect_word("byte");
}

static void expect_same_tables(const char *path) {
  char word[WORD_BYTES];
  size_t found = 0;
  open_schema(path);
  while (next_word(word)[0] != '\0') {
    if (strcmp(word, "table") == 0) {
      read_table();
      found++;
    } else if (strcmp(word, "union") == 0) {
      read_union();
    } else if (strcmp(word, "enum") == 0) {
      read_enum();
    }
  }
  assert_int_equal(found, table_count);
}

static void test_program_tables_and_unions_match_the_schema(void **state) {
  (void)state;
  tables = PROGRAM_TABLES;
  table_count = sizeof PROGRAM_TABLES / sizeof *PROGRAM_TABLES;
  expect_same_tables("schema/program.fbs");
}

static void test_data_file_tables_match_the_schema(void **state) {
  (void)state;
  tables = FLAT_TENSOR_TABLES;
  table_count = sizeof FLAT_TENSOR_TABLES / sizeof *FLAT_TENSOR_TABLES;
  expect_same_tables("schema/flat_tensor.fbs");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_program_tables_and_unions_match_the_schema),
      cmocka_unit_test(test_data_file_tables_match_the_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
