#include "runtime/program/schema.h"

#define SCALAR(name, bytes) ET_SCHEMA_SCALAR(name, bytes)
#define TEXT(name) ET_SCHEMA_TEXT(name)
#define SCALARS(name, bytes) ET_SCHEMA_SCALARS(name, bytes)
#define TABLE(name, type) ET_SCHEMA_TABLE(name, ET_TABLE_##type)
#define TABLES(name, type) ET_SCHEMA_TABLES(name, ET_TABLE_##type)
#define UNION(name, type) ET_SCHEMA_UNION(name, ET_UNION_##type)

/* Fields stand in the order of their numbers. */
static const et_schema_field program[] = {
    SCALAR("version", 4),
    TABLES("execution_plan", PLAN),
    TABLES("constant_buffer", BUFFER),
    TABLES("backend_delegate_data", BUFFER),
    TABLES("segments", SEGMENT),
    TABLE("constant_segment", SUBSEGMENTS),
    TABLES("mutable_data_segments", SUBSEGMENTS),
    TABLES("named_data", NAMED_DATA),
};
static const et_schema_field plan[] = {
    TEXT("name"),
    TABLE("container_meta_type", CONTAINER),
    TABLES("values", EVALUE),
    SCALARS("inputs", 4),
    SCALARS("outputs", 4),
    TABLES("chains", CHAIN),
    TABLES("operators", OPERATOR),
    TABLES("delegates", DELEGATE),
    SCALARS("non_const_buffer_sizes", 8),
    TABLES("non_const_buffer_device", BUFFER_DEVICE),
};
static const et_schema_field buffer_device[] = {
    SCALAR("buffer_idx", 4),
    SCALAR("device_type", 1),
    SCALAR("device_index", 1),
};
static const et_schema_field container[] = {
    TEXT("encoded_inp_str"),
    TEXT("encoded_out_str"),
};
static const et_schema_field evalue[] = {
    SCALAR("val_type", 1),
    UNION("val", VALUE),
};
static const et_schema_field chain[] = {
    SCALARS("inputs", 4),
    SCALARS("outputs", 4),
    TABLES("instructions", INSTRUCTION),
    TABLES("stacktrace", FRAME_LIST),
};
static const et_schema_field frame_list[] = {TABLES("items", FRAME)};
static const et_schema_field frame[] = {
    TEXT("filename"),
    SCALAR("lineno", 4),
    TEXT("name"),
    TEXT("context"),
};
static const et_schema_field operator_row[] = {TEXT("name"), TEXT("overload")};
static const et_schema_field delegate[] = {
    TEXT("id"),
    TABLE("processed", PROCESSED),
    TABLES("compile_specs", SPEC),
};
static const et_schema_field processed[] = {
    SCALAR("location", 1),
    SCALAR("index", 4),
};
static const et_schema_field spec[] = {TEXT("key"), SCALARS("value", 1)};
static const et_schema_field instruction[] = {
    SCALAR("instr_args_type", 1),
    UNION("instr_args", INSTRUCTION),
};
static const et_schema_field kernel_call[] = {
    SCALAR("op_index", 4),
    SCALARS("args", 4),
};
static const et_schema_field delegate_call[] = {
    SCALAR("delegate_index", 4),
    SCALARS("args", 4),
};
static const et_schema_field move[] = {
    SCALAR("move_from", 4),
    SCALAR("move_to", 4),
};
static const et_schema_field jump[] = {
    SCALAR("cond_value_index", 4),
    SCALAR("destination_instruction", 4),
};
static const et_schema_field free_call[] = {SCALAR("value_index", 4)};
static const et_schema_field int_value[] = {SCALAR("int_val", 8)};
static const et_schema_field bool_value[] = {SCALAR("bool_val", 1)};
static const et_schema_field double_value[] = {SCALAR("double_val", 8)};
static const et_schema_field string_value[] = {TEXT("string_val")};
static const et_schema_field tensor[] = {
    SCALAR("scalar_type", 1),
    SCALAR("storage_offset", 4),
    SCALARS("sizes", 4),
    SCALARS("dim_order", 1),
    SCALAR("requires_grad", 1),
    SCALAR("data_buffer_idx", 4),
    TABLE("allocation_info", ALLOCATION),
    SCALAR("layout", 1),
    SCALAR("shape_dynamism", 1),
    TABLE("extra_tensor_info", EXTRA),
};
static const et_schema_field list_of_8[] = {SCALARS("items", 8)};
static const et_schema_field list_of_4[] = {SCALARS("items", 4)};
static const et_schema_field list_of_1[] = {SCALARS("items", 1)};
static const et_schema_field allocation[] = {
    SCALAR("memory_id", 4),
    SCALAR("memory_offset_low", 4),
    SCALAR("memory_offset_high", 4),
};
static const et_schema_field extra[] = {
    SCALAR("mutable_data_segments_idx", 8),
    TEXT("fully_qualified_name"),
    SCALAR("location", 1),
    SCALAR("device_type", 1),
    SCALAR("device_index", 1),
};
static const et_schema_field buffer[] = {SCALARS("data", 1)};
static const et_schema_field segment[] = {
    SCALAR("offset", 8),
    SCALAR("size", 8),
};
static const et_schema_field subsegments[] = {
    SCALAR("segment_index", 4),
    SCALARS("offsets", 8),
};
static const et_schema_field named_data[] = {
    TEXT("key"),
    SCALAR("segment_index", 4),
};

static const et_schema_field flat_tensor[] = {
    SCALAR("version", 4),
    TABLES("segments", SEGMENT),
    TABLES("named_data", FLAT_NAMED_DATA),
};
static const et_schema_field flat_named_data[] = {
    TEXT("key"),
    SCALAR("segment_index", 4),
    TABLE("tensor_layout", LAYOUT),
};
static const et_schema_field layout[] = {
    SCALAR("scalar_type", 1),
    SCALARS("sizes", 4),
    SCALARS("dim_order", 1),
};

#define ROW(type, fields) \
  [ET_TABLE_##type] = {fields, sizeof(fields) / sizeof *(fields)}

const et_schema_table et_schema_tables[ET_TABLE_COUNT] = {
    ROW(PROGRAM, program),
    ROW(PLAN, plan),
    ROW(BUFFER_DEVICE, buffer_device),
    ROW(CONTAINER, container),
    ROW(EVALUE, evalue),
    ROW(CHAIN, chain),
    ROW(FRAME_LIST, frame_list),
    ROW(FRAME, frame),
    ROW(OPERATOR, operator_row),
    ROW(DELEGATE, delegate),
    ROW(PROCESSED, processed),
    ROW(SPEC, spec),
    ROW(INSTRUCTION, instruction),
    ROW(KERNEL_CALL, kernel_call),
    ROW(DELEGATE_CALL, delegate_call),
    ROW(MOVE, move),
    ROW(JUMP, jump),
    ROW(FREE, free_call),
    [ET_TABLE_NULL] = {NULL, 0},
    ROW(INT, int_value),
    ROW(BOOL, bool_value),
    ROW(DOUBLE, double_value),
    ROW(STRING, string_value),
    ROW(TENSOR, tensor),
    ROW(LIST_OF_8, list_of_8),
    ROW(LIST_OF_4, list_of_4),
    ROW(LIST_OF_1, list_of_1),
    ROW(ALLOCATION, allocation),
    ROW(EXTRA, extra),
    ROW(BUFFER, buffer),
    ROW(SEGMENT, segment),
    ROW(SUBSEGMENTS, subsegments),
    ROW(NAMED_DATA, named_data),
    ROW(FLAT_TENSOR, flat_tensor),
    ROW(FLAT_NAMED_DATA, flat_named_data),
    ROW(LAYOUT, layout),
};

static const uint8_t value_members[] = {
    0,
    ET_TABLE_NULL,
    ET_TABLE_INT,
    ET_TABLE_BOOL,
    ET_TABLE_DOUBLE,
    ET_TABLE_TENSOR,
    ET_TABLE_STRING,
    ET_TABLE_LIST_OF_8, /* IntList */
    ET_TABLE_LIST_OF_8, /* DoubleList */
    ET_TABLE_LIST_OF_1, /* BoolList */
    ET_TABLE_LIST_OF_4, /* TensorList */
    ET_TABLE_LIST_OF_4, /* OptionalTensorList */
};
static const uint8_t instruction_members[] = {
    0,
    ET_TABLE_KERNEL_CALL,
    ET_TABLE_DELEGATE_CALL,
    ET_TABLE_MOVE,
    ET_TABLE_JUMP,
    ET_TABLE_FREE,
};

const et_schema_union et_schema_unions[ET_UNION_COUNT] = {
    [ET_UNION_VALUE] = {value_members, sizeof value_members},
    [ET_UNION_INSTRUCTION] = {instruction_members, sizeof instruction_members},
};

const et_schema et_program_schema = {"program", ET_TABLE_PROGRAM,
                                     et_schema_tables, et_schema_unions};
const et_schema et_flat_tensor_schema = {"flat_tensor", ET_TABLE_FLAT_TENSOR,
                                         et_schema_tables, et_schema_unions};
