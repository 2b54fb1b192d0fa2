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

/* Fields stand in the order of their numbers. */
static const et_schema_field graph[] = {
    ET_SCHEMA_TEXT("version"),
    ET_SCHEMA_TABLES("xnodes", NODE),
    ET_SCHEMA_TABLES("xvalues", VALUE),
    WORD("num_externs"),
    WORDS("input_ids"),
    WORDS("output_ids"),
    ET_SCHEMA_TABLES("constant_buffer", BUFFER),
    WORDS("mem_buffer_sizes"),
    ET_SCHEMA_TABLES("constant_data", CONSTANT),
};
static const et_schema_field buffer[] = {ET_SCHEMA_SCALARS("storage", 1)};
static const et_schema_field constant[] = {
    LONG("offset"),
    LONG("size"),
    ET_SCHEMA_TEXT("named_key"),
};
static const et_schema_field value[] = {
    TAG("xvalue_union_type"),
    ET_SCHEMA_UNION("xvalue_union", VALUE_UNION),
};
static const et_schema_field tensor[] = {
    SHORT("datatype"),   WORD("num_dims"),
    WORDS("dims"),       WORD("constant_buffer_idx"),
    WORD("external_id"), WORD("flags"),
    WORD("id_out"),      SHORT("dq_datatype"),
};
static const et_schema_field quantized[] = {
    ET_SCHEMA_TABLE("tensor_value", TENSOR),
    TAG("quant_params_type"),
    ET_SCHEMA_UNION("quant_params", QUANTIZATION_UNION),
};
static const et_schema_field by_channel[] = {
    WORDS("scale"),
    WORD("channel_dim"),
    WORD("scale_buffer_idx"),
    WORD("num_scales"),
};
static const et_schema_field by_tensor[] = {WORD("scale"), WORD("zero_point")};
static const et_schema_field by_row[] = {WORD("num_nonbatch_dims")};
static const et_schema_field by_group[] = {
    WORDS("scale"),           WORD("channel_dim"),
    WORD("group_size"),       ET_SCHEMA_SCALARS("scale_bf16", 2),
    WORD("scale_buffer_idx"), WORD("num_scales"),
};
static const et_schema_field node[] = {
    TAG("xnode_union_type"),
    ET_SCHEMA_UNION("xnode_union", NODE_UNION),
    WORD("debug_handle"),
    ET_SCHEMA_TABLE("output_min_max", BOUNDS),
};
static const et_schema_field bounds[] = {WORD("output_min"),
                                         WORD("output_max")};
static const et_schema_field binary[] = {
    WORD("input1_id"),
    WORD("input2_id"),
    WORD("output_id"),
    WORD("flags"),
};
static const et_schema_field unary[] = {
    WORD("input_id"),
    WORD("output_id"),
    WORD("flags"),
};
static const et_schema_field product[] = {
    WORD("input1_id"), WORD("filter_id"), WORD("bias_id"),
    WORD("output_id"), WORD("flags"),
};
static const et_schema_field shaped[] = {
    WORD("num_dims"),  WORDS("dims"), WORD("input_id"),
    WORD("output_id"), WORD("flags"),
};
static const et_schema_field convolution[] = {
    WORD("padding_top"),
    WORD("padding_right"),
    WORD("padding_bottom"),
    WORD("padding_left"),
    WORD("kernel_height"),
    WORD("kernel_width"),
    WORD("subsampling_height"),
    WORD("subsampling_width"),
    WORD("dilation_height"),
    WORD("dilation_width"),
    WORD("group_input_channels"),
    WORD("group_output_channels"),
    WORD("groups"),
    WORD("adjustment_height"),
    WORD("adjustment_width"),
    WORD("input1_id"),
    WORD("filter_id"),
    WORD("bias_id"),
    WORD("output_id"),
    WORD("flags"),
};
static const et_schema_field resize[] = {
    WORD("new_height"), WORD("new_width"), WORD("input_id"),
    WORD("output_id"),  WORD("flags"),
};
static const et_schema_field pad[] = {
    WORDS("pre_paddings"), WORDS("post_paddings"), WORD("padding_value"),
    WORD("input_id"),      WORD("output_id"),      WORD("flags"),
};
static const et_schema_field pool[] = {
    WORD("padding_top"),    WORD("padding_right"),  WORD("padding_bottom"),
    WORD("padding_left"),   WORD("pooling_height"), WORD("pooling_width"),
    WORD("stride_height"),  WORD("stride_width"),   WORD("dilation_height"),
    WORD("dilation_width"), WORD("input_id"),       WORD("output_id"),
    WORD("flags"),
};
static const et_schema_field argmax[] = {
    WORD("padding_top"),  WORD("padding_right"),   WORD("padding_bottom"),
    WORD("padding_left"), WORD("pooling_height"),  WORD("pooling_width"),
    WORD("input_id"),     WORD("output_value_id"), WORD("output_index_id"),
    WORD("flags"),
};
static const et_schema_field parameter[] = {
    WORD("parameter"),
    WORD("input_id"),
    WORD("output_id"),
    WORD("flags"),
};
static const et_schema_field concatenate[] = {
    WORD("axis"),      WORD("input1_id"), WORD("input2_id"), WORD("input3_id"),
    WORD("input4_id"), WORD("output_id"), WORD("flags"),     WORD("input5_id"),
};
static const et_schema_field slice[] = {
    WORD("num_dims"), WORDS("offsets"),  WORDS("sizes"),
    WORD("input_id"), WORD("output_id"), WORD("flags"),
};
static const et_schema_field attention[] = {
    WORD("query_id"), WORD("key_id"),    WORD("value_id"), WORD("scale_id"),
    WORD("mask_id"),  WORD("output_id"), WORD("flags"),
};

#define ROW(type, fields) [type] = {fields, sizeof(fields) / sizeof *(fields)}

static const et_schema_table tables[TABLE_COUNT] = {
    ROW(GRAPH, graph),
    ROW(BUFFER, buffer),
    ROW(CONSTANT, constant),
    ROW(VALUE, value),
    ROW(TENSOR, tensor),
    ROW(QUANTIZED, quantized),
    ROW(BY_CHANNEL, by_channel),
    ROW(BY_TENSOR, by_tensor),
    ROW(BY_ROW, by_row),
    ROW(BY_GROUP, by_group),
    ROW(NODE, node),
    ROW(BOUNDS, bounds),
    ROW(BINARY, binary),
    ROW(UNARY, unary),
    ROW(PRODUCT, product),
    ROW(SHAPED, shaped),
    ROW(CONVOLUTION, convolution),
    ROW(RESIZE, resize),
    ROW(PAD, pad),
    ROW(POOL, pool),
    ROW(ARGMAX, argmax),
    ROW(PARAMETER, parameter),
    ROW(CONCATENATE, concatenate),
    ROW(SLICE, slice),
    ROW(ATTENTION, attention),
};

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

const et_schema et_xnn_schema = {"payload", GRAPH, tables, unions};
