#include "runtime/program/schema.h"

#include "runtime/core/error.h"

#define SCALAR(name, bytes) ET_SCHEMA_SCALAR(name, bytes)
#define TEXT(name) ET_SCHEMA_TEXT(name)
#define SCALARS(name, bytes) ET_SCHEMA_SCALARS(name, bytes)
#define TABLE(name, type) ET_SCHEMA_TABLE(name, ET_TABLE_##type)
#define TABLES(name, type) ET_SCHEMA_TABLES(name, ET_TABLE_##type)
#define UNION(name, type) ET_SCHEMA_UNION(name, ET_UNION_##type)

/* All field names, without duplicates. */
#define NAMES(X)               \
  X(version)                   \
  X(execution_plan)            \
  X(constant_buffer)           \
  X(backend_delegate_data)     \
  X(segments)                  \
  X(constant_segment)          \
  X(mutable_data_segments)     \
  X(named_data)                \
  X(name)                      \
  X(container_meta_type)       \
  X(values)                    \
  X(inputs)                    \
  X(outputs)                   \
  X(chains)                    \
  X(operators)                 \
  X(delegates)                 \
  X(non_const_buffer_sizes)    \
  X(non_const_buffer_device)   \
  X(buffer_idx)                \
  X(device_type)               \
  X(device_index)              \
  X(encoded_inp_str)           \
  X(encoded_out_str)           \
  X(reserved_2)                \
  X(reserved_3)                \
  X(ranges)                    \
  X(conditions)                \
  X(condition_texts)           \
  X(val_type)                  \
  X(val)                       \
  X(instructions)              \
  X(stacktrace)                \
  X(items)                     \
  X(filename)                  \
  X(lineno)                    \
  X(context)                   \
  X(overload)                  \
  X(id)                        \
  X(processed)                 \
  X(compile_specs)             \
  X(location)                  \
  X(index)                     \
  X(key)                       \
  X(value)                     \
  X(instr_args_type)           \
  X(instr_args)                \
  X(op_index)                  \
  X(args)                      \
  X(delegate_index)            \
  X(move_from)                 \
  X(move_to)                   \
  X(cond_value_index)          \
  X(destination_instruction)   \
  X(value_index)               \
  X(int_val)                   \
  X(bool_val)                  \
  X(double_val)                \
  X(string_val)                \
  X(scalar_type)               \
  X(storage_offset)            \
  X(sizes)                     \
  X(dim_order)                 \
  X(requires_grad)             \
  X(data_buffer_idx)           \
  X(allocation_info)           \
  X(layout)                    \
  X(shape_dynamism)            \
  X(extra_tensor_info)         \
  X(memory_id)                 \
  X(memory_offset_low)         \
  X(memory_offset_high)        \
  X(mutable_data_segments_idx) \
  X(fully_qualified_name)      \
  X(data)                      \
  X(offset)                    \
  X(size)                      \
  X(segment_index)             \
  X(offsets)                   \
  X(tensor_layout)

/* X(table, name of its rows, number of rows). */
#define TABLES_OF_ROWS(X)                         \
  X(ET_TABLE_PROGRAM, program, 8)                 \
  X(ET_TABLE_PLAN, plan, 10)                      \
  X(ET_TABLE_BUFFER_DEVICE, buffer_device, 3)     \
  X(ET_TABLE_CONTAINER, container, 7)             \
  X(ET_TABLE_EVALUE, evalue, 2)                   \
  X(ET_TABLE_CHAIN, chain, 4)                     \
  X(ET_TABLE_FRAME_LIST, frame_list, 1)           \
  X(ET_TABLE_FRAME, frame, 4)                     \
  X(ET_TABLE_OPERATOR, operator_row, 2)           \
  X(ET_TABLE_DELEGATE, delegate, 3)               \
  X(ET_TABLE_PROCESSED, processed, 2)             \
  X(ET_TABLE_SPEC, spec, 2)                       \
  X(ET_TABLE_INSTRUCTION, instruction, 2)         \
  X(ET_TABLE_KERNEL_CALL, kernel_call, 2)         \
  X(ET_TABLE_DELEGATE_CALL, delegate_call, 2)     \
  X(ET_TABLE_MOVE, move, 2)                       \
  X(ET_TABLE_JUMP, jump, 2)                       \
  X(ET_TABLE_FREE, free_call, 1)                  \
  X(ET_TABLE_INT, int_value, 1)                   \
  X(ET_TABLE_BOOL, bool_value, 1)                 \
  X(ET_TABLE_DOUBLE, double_value, 1)             \
  X(ET_TABLE_STRING, string_value, 1)             \
  X(ET_TABLE_TENSOR, tensor, 10)                  \
  X(ET_TABLE_LIST_OF_8, list_of_8, 1)             \
  X(ET_TABLE_LIST_OF_4, list_of_4, 1)             \
  X(ET_TABLE_LIST_OF_1, list_of_1, 1)             \
  X(ET_TABLE_ALLOCATION, allocation, 3)           \
  X(ET_TABLE_EXTRA, extra, 5)                     \
  X(ET_TABLE_BUFFER, buffer, 1)                   \
  X(ET_TABLE_SEGMENT, segment, 2)                 \
  X(ET_TABLE_SUBSEGMENTS, subsegments, 2)         \
  X(ET_TABLE_NAMED_DATA, named_data, 2)           \
  X(ET_TABLE_FLAT_TENSOR, flat_tensor, 3)         \
  X(ET_TABLE_FLAT_NAMED_DATA, flat_named_data, 3) \
  X(ET_TABLE_LAYOUT, layout, 3)

ET_SCHEMA_NAMES(NAMES);

ET_SCHEMA_FIELDS(TABLES_OF_ROWS);

/* Fields are in the order of their numbers. */
static const union et_schema_fields fields = {
    .rows.program =
        {
            SCALAR(version, 4),
            TABLES(execution_plan, PLAN),
            TABLES(constant_buffer, BUFFER),
            TABLES(backend_delegate_data, BUFFER),
            TABLES(segments, SEGMENT),
            TABLE(constant_segment, SUBSEGMENTS),
            TABLES(mutable_data_segments, SUBSEGMENTS),
            TABLES(named_data, NAMED_DATA),
        },
    .rows.plan =
        {
            TEXT(name),
            TABLE(container_meta_type, CONTAINER),
            TABLES(values, EVALUE),
            SCALARS(inputs, 4),
            SCALARS(outputs, 4),
            TABLES(chains, CHAIN),
            TABLES(operators, OPERATOR),
            TABLES(delegates, DELEGATE),
            SCALARS(non_const_buffer_sizes, 8),
            TABLES(non_const_buffer_device, BUFFER_DEVICE),
        },
    .rows.buffer_device =
        {
            SCALAR(buffer_idx, 4),
            SCALAR(device_type, 1),
            SCALAR(device_index, 1),
        },
    .rows.container =
        {
            TEXT(encoded_inp_str),
            TEXT(encoded_out_str),
            SCALAR(reserved_2, 1),
            SCALAR(reserved_3, 1),
            SCALARS(ranges, 8),
            SCALARS(conditions, 8),
            TEXT(condition_texts),
        },
    .rows.evalue = {SCALAR(val_type, 1), UNION(val, VALUE)},
    .rows.chain =
        {
            SCALARS(inputs, 4),
            SCALARS(outputs, 4),
            TABLES(instructions, INSTRUCTION),
            TABLES(stacktrace, FRAME_LIST),
        },
    .rows.frame_list = {TABLES(items, FRAME)},
    .rows.frame =
        {
            TEXT(filename),
            SCALAR(lineno, 4),
            TEXT(name),
            TEXT(context),
        },
    .rows.operator_row = {TEXT(name), TEXT(overload)},
    .rows.delegate =
        {
            TEXT(id),
            TABLE(processed, PROCESSED),
            TABLES(compile_specs, SPEC),
        },
    .rows.processed = {SCALAR(location, 1), SCALAR(index, 4)},
    .rows.spec = {TEXT(key), SCALARS(value, 1)},
    .rows.instruction = {SCALAR(instr_args_type, 1),
                         UNION(instr_args, INSTRUCTION)},
    .rows.kernel_call = {SCALAR(op_index, 4), SCALARS(args, 4)},
    .rows.delegate_call = {SCALAR(delegate_index, 4), SCALARS(args, 4)},
    .rows.move = {SCALAR(move_from, 4), SCALAR(move_to, 4)},
    .rows.jump = {SCALAR(cond_value_index, 4),
                  SCALAR(destination_instruction, 4)},
    .rows.free_call = {SCALAR(value_index, 4)},
    .rows.int_value = {SCALAR(int_val, 8)},
    .rows.bool_value = {SCALAR(bool_val, 1)},
    .rows.double_value = {SCALAR(double_val, 8)},
    .rows.string_value = {TEXT(string_val)},
    .rows.tensor =
        {
            SCALAR(scalar_type, 1),
            SCALAR(storage_offset, 4),
            SCALARS(sizes, 4),
            SCALARS(dim_order, 1),
            SCALAR(requires_grad, 1),
            SCALAR(data_buffer_idx, 4),
            TABLE(allocation_info, ALLOCATION),
            SCALAR(layout, 1),
            SCALAR(shape_dynamism, 1),
            TABLE(extra_tensor_info, EXTRA),
        },
    .rows.list_of_8 = {SCALARS(items, 8)},
    .rows.list_of_4 = {SCALARS(items, 4)},
    .rows.list_of_1 = {SCALARS(items, 1)},
    .rows.allocation =
        {
            SCALAR(memory_id, 4),
            SCALAR(memory_offset_low, 4),
            SCALAR(memory_offset_high, 4),
        },
    .rows.extra =
        {
            SCALAR(mutable_data_segments_idx, 8),
            TEXT(fully_qualified_name),
            SCALAR(location, 1),
            SCALAR(device_type, 1),
            SCALAR(device_index, 1),
        },
    .rows.buffer = {SCALARS(data, 1)},
    .rows.segment = {SCALAR(offset, 8), SCALAR(size, 8)},
    .rows.subsegments = {SCALAR(segment_index, 4), SCALARS(offsets, 8)},
    .rows.named_data = {TEXT(key), SCALAR(segment_index, 4)},
    .rows.flat_tensor =
        {
            SCALAR(version, 4),
            TABLES(segments, SEGMENT),
            TABLES(named_data, FLAT_NAMED_DATA),
        },
    .rows.flat_named_data =
        {
            TEXT(key),
            SCALAR(segment_index, 4),
            TABLE(tensor_layout, LAYOUT),
        },
    .rows.layout =
        {
            SCALAR(scalar_type, 1),
            SCALARS(sizes, 4),
            SCALARS(dim_order, 1),
        },
};

static const et_schema_table tables[ET_TABLE_COUNT] = {
    TABLES_OF_ROWS(ET_SCHEMA_TABLE_ROW)};

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

static const et_schema_union unions[ET_UNION_COUNT] = {
    [ET_UNION_VALUE] = {value_members, sizeof value_members},
    [ET_UNION_INSTRUCTION] = {instruction_members, sizeof instruction_members},
};

const et_schema et_program_schema = {"program",
                                     ET_TABLE_PROGRAM,
                                     tables,
                                     fields.all,
                                     ET_SCHEMA_NAMES_TEXT(NAMES),
                                     unions};
const et_schema et_flat_tensor_schema = {
    "flat_tensor", ET_TABLE_FLAT_TENSOR,        tables,
    fields.all,    ET_SCHEMA_NAMES_TEXT(NAMES), unions};
