#include "backends/xnnpack/runtime/schema.h"

typedef enum table_id {
  GRAPH,
  BUFFER,
  CONSTANT,
  VALUE,
  TENSOR,
  QUANTIZED,
  BY_CHANNEL,
  BY_TENSOR,
  BY_ROW,
  BY_GROUP,
  NODE,
  BOUNDS,
  BINARY,
  UNARY,
  PRODUCT,
  SHAPED,
  CONVOLUTION,
  RESIZE,
  PAD,
  POOL,
  ARGMAX,
  PARAMETER,
  CONCATENATE,
  SLICE,
  ATTENTION,
  TABLE_COUNT
} table_id;

typedef enum union_id {
  VALUE_UNION,
  QUANTIZATION_UNION,
  NODE_UNION,
  UNION_COUNT
} union_id;

#define WORD(name) ET_SCHEMA_SCALAR(name, 4)
#define WORDS(name) ET_SCHEMA_SCALARS(name, 4)
#define LONG(name) ET_SCHEMA_SCALAR(name, 8)
#define SHORT(name) ET_SCHEMA_SCALAR(name, 2)
#define TAG(name) ET_SCHEMA_SCALAR(name, 1)

/* Names of all fields, without duplicates. */
#define NAMES(X)           \
  X(version)               \
  X(xnodes)                \
  X(xvalues)               \
  X(num_externs)           \
  X(input_ids)             \
  X(output_ids)            \
  X(constant_buffer)       \
  X(mem_buffer_sizes)      \
  X(constant_data)         \
  X(storage)               \
  X(offset)                \
  X(size)                  \
  X(named_key)             \
  X(xvalue_union_type)     \
  X(xvalue_union)          \
  X(datatype)              \
  X(num_dims)              \
  X(dims)                  \
  X(constant_buffer_idx)   \
  X(external_id)           \
  X(flags)                 \
  X(id_out)                \
  X(dq_datatype)           \
  X(tensor_value)          \
  X(quant_params_type)     \
  X(quant_params)          \
  X(scale)                 \
  X(channel_dim)           \
  X(scale_buffer_idx)      \
  X(num_scales)            \
  X(zero_point)            \
  X(num_nonbatch_dims)     \
  X(group_size)            \
  X(scale_bf16)            \
  X(xnode_union_type)      \
  X(xnode_union)           \
  X(debug_handle)          \
  X(output_min_max)        \
  X(output_min)            \
  X(output_max)            \
  X(input1_id)             \
  X(input2_id)             \
  X(output_id)             \
  X(input_id)              \
  X(filter_id)             \
  X(bias_id)               \
  X(padding_top)           \
  X(padding_right)         \
  X(padding_bottom)        \
  X(padding_left)          \
  X(kernel_height)         \
  X(kernel_width)          \
  X(subsampling_height)    \
  X(subsampling_width)     \
  X(dilation_height)       \
  X(dilation_width)        \
  X(group_input_channels)  \
  X(group_output_channels) \
  X(groups)                \
  X(adjustment_height)     \
  X(adjustment_width)      \
  X(new_height)            \
  X(new_width)             \
  X(pre_paddings)          \
  X(post_paddings)         \
  X(padding_value)         \
  X(pooling_height)        \
  X(pooling_width)         \
  X(stride_height)         \
  X(stride_width)          \
  X(output_value_id)       \
  X(output_index_id)       \
  X(parameter)             \
  X(axis)                  \
  X(input3_id)             \
  X(input4_id)             \
  X(input5_id)             \
  X(offsets)               \
  X(sizes)                 \
  X(query_id)              \
  X(key_id)                \
  X(value_id)              \
  X(scale_id)              \
  X(mask_id)

/* Tables: enumerator, member of `fields.rows`, number of fields. */
#define TABLES_OF_ROWS(X)         \
  X(GRAPH, graph, 9)              \
  X(BUFFER, buffer, 1)            \
  X(CONSTANT, constant, 3)        \
  X(VALUE, value, 2)              \
  X(TENSOR, tensor, 8)            \
  X(QUANTIZED, quantized, 3)      \
  X(BY_CHANNEL, by_channel, 4)    \
  X(BY_TENSOR, by_tensor, 2)      \
  X(BY_ROW, by_row, 1)            \
  X(BY_GROUP, by_group, 6)        \
  X(NODE, node, 4)                \
  X(BOUNDS, bounds, 2)            \
  X(BINARY, binary, 4)            \
  X(UNARY, unary, 3)              \
  X(PRODUCT, product, 5)          \
  X(SHAPED, shaped, 5)            \
  X(CONVOLUTION, convolution, 20) \
  X(RESIZE, resize, 5)            \
  X(PAD, pad, 6)                  \
  X(POOL, pool, 13)               \
  X(ARGMAX, argmax, 10)           \
  X(PARAMETER, parameter, 4)      \
  X(CONCATENATE, concatenate, 8)  \
  X(SLICE, slice, 6)              \
  X(ATTENTION, attention, 7)

ET_SCHEMA_NAMES(NAMES);
ET_SCHEMA_FIELDS(TABLES_OF_ROWS);

/* Fields in the order of their numbers. */
static const union et_schema_fields fields = {
    .rows.graph =
        {
            ET_SCHEMA_TEXT(version),
            ET_SCHEMA_TABLES(xnodes, NODE),
            ET_SCHEMA_TABLES(xvalues, VALUE),
            WORD(num_externs),
            WORDS(input_ids),
            WORDS(output_ids),
            ET_SCHEMA_TABLES(constant_buffer, BUFFER),
            WORDS(mem_buffer_sizes),
            ET_SCHEMA_TABLES(constant_data, CONSTANT),
        },
    .rows.buffer = {ET_SCHEMA_SCALARS(storage, 1)},
    .rows.constant =
        {
            LONG(offset),
            LONG(size),
            ET_SCHEMA_TEXT(named_key),
        },
    .rows.value = {TAG(xvalue_union_type),
                   ET_SCHEMA_UNION(xvalue_union, VALUE_UNION)},
    .rows.tensor =
        {
            SHORT(datatype),
            WORD(num_dims),
            WORDS(dims),
            WORD(constant_buffer_idx),
            WORD(external_id),
            WORD(flags),
            WORD(id_out),
            SHORT(dq_datatype),
        },
    .rows.quantized =
        {
            ET_SCHEMA_TABLE(tensor_value, TENSOR),
            TAG(quant_params_type),
            ET_SCHEMA_UNION(quant_params, QUANTIZATION_UNION),
        },
    .rows.by_channel =
        {
            WORDS(scale),
            WORD(channel_dim),
            WORD(scale_buffer_idx),
            WORD(num_scales),
        },
    .rows.by_tensor = {WORD(scale), WORD(zero_point)},
    .rows.by_row = {WORD(num_nonbatch_dims)},
    .rows.by_group =
        {
            WORDS(scale),
            WORD(channel_dim),
            WORD(group_size),
            ET_SCHEMA_SCALARS(scale_bf16, 2),
            WORD(scale_buffer_idx),
            WORD(num_scales),
        },
    .rows.node =
        {
            TAG(xnode_union_type),
            ET_SCHEMA_UNION(xnode_union, NODE_UNION),
            WORD(debug_handle),
            ET_SCHEMA_TABLE(output_min_max, BOUNDS),
        },
    .rows.bounds = {WORD(output_min), WORD(output_max)},
    .rows.binary =
        {
            WORD(input1_id),
            WORD(input2_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.unary =
        {
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.product =
        {
            WORD(input1_id),
            WORD(filter_id),
            WORD(bias_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.shaped =
        {
            WORD(num_dims),
            WORDS(dims),
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.convolution =
        {
            WORD(padding_top),
            WORD(padding_right),
            WORD(padding_bottom),
            WORD(padding_left),
            WORD(kernel_height),
            WORD(kernel_width),
            WORD(subsampling_height),
            WORD(subsampling_width),
            WORD(dilation_height),
            WORD(dilation_width),
            WORD(group_input_channels),
            WORD(group_output_channels),
            WORD(groups),
            WORD(adjustment_height),
            WORD(adjustment_width),
            WORD(input1_id),
            WORD(filter_id),
            WORD(bias_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.resize =
        {
            WORD(new_height),
            WORD(new_width),
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.pad =
        {
            WORDS(pre_paddings),
            WORDS(post_paddings),
            WORD(padding_value),
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.pool =
        {
            WORD(padding_top),
            WORD(padding_right),
            WORD(padding_bottom),
            WORD(padding_left),
            WORD(pooling_height),
            WORD(pooling_width),
            WORD(stride_height),
            WORD(stride_width),
            WORD(dilation_height),
            WORD(dilation_width),
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.argmax =
        {
            WORD(padding_top),
            WORD(padding_right),
            WORD(padding_bottom),
            WORD(padding_left),
            WORD(pooling_height),
            WORD(pooling_width),
            WORD(input_id),
            WORD(output_value_id),
            WORD(output_index_id),
            WORD(flags),
        },
    .rows.parameter =
        {
            WORD(parameter),
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.concatenate =
        {
            WORD(axis),
            WORD(input1_id),
            WORD(input2_id),
            WORD(input3_id),
            WORD(input4_id),
            WORD(output_id),
            WORD(flags),
            WORD(input5_id),
        },
    .rows.slice =
        {
            WORD(num_dims),
            WORDS(offsets),
            WORDS(sizes),
            WORD(input_id),
            WORD(output_id),
            WORD(flags),
        },
    .rows.attention =
        {
            WORD(query_id),
            WORD(key_id),
            WORD(value_id),
            WORD(scale_id),
            WORD(mask_id),
            WORD(output_id),
            WORD(flags),
        },
};

static const et_schema_table tables[TABLE_COUNT] = {
    TABLES_OF_ROWS(ET_SCHEMA_TABLE_ROW)};

static const uint8_t value_members[] = {0, TENSOR, QUANTIZED};
static const uint8_t quantization_members[] = {0, BY_CHANNEL, BY_TENSOR, BY_ROW,
                                               BY_GROUP};
static const uint8_t node_members[] = {0,
#define MEMBER(NAME, tag, body) body,
                                       ET_XNN_NODE_LIST(MEMBER)
#undef MEMBER
};

static const et_schema_union unions[UNION_COUNT] = {
    [VALUE_UNION] = {value_members, sizeof value_members},
    [QUANTIZATION_UNION] = {quantization_members, sizeof quantization_members},
    [NODE_UNION] = {node_members, sizeof node_members},
};

const et_schema et_xnn_schema = {
    "payload", GRAPH, tables, fields.all, ET_SCHEMA_NAMES_TEXT(NAMES), unions};
