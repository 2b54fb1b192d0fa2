#include "backends/xnnpack/runtime/value.h"

#include <math.h>

#include "backends/xnnpack/runtime/recent.h"
#include "backends/xnnpack/runtime/schema.h"
#include "runtime/core/arithmetic.h"

/* Returns the table of the fields that plain and quantized values share. */
static et_fb_table tensor_of(et_fb_table value) {
  const et_fb_table member = et_fb_child(value, ET_XNN_VALUE);
  return et_fb_u8(value, ET_XNN_VALUE_TAG) == ET_XNN_VALUE_QUANTIZED
             ? et_fb_child(member, ET_XNN_QUANTIZED_TENSOR)
             : member;
}

static et_xnn_quantization by_channel(et_fb_table table) {
  return (et_xnn_quantization){
      .dim = et_fb_u32(table, ET_XNN_CHANNEL_DIM),
      .count = et_fb_u32(table, ET_XNN_CHANNEL_COUNT),
      .constant = et_fb_u32(table, ET_XNN_CHANNEL_CONSTANT),
      .inline_scales = et_fb_list(table, ET_XNN_CHANNEL_SCALES)};
}

static et_xnn_quantization by_group(et_fb_table table) {
  et_xnn_quantization q = {.dim = et_fb_u32(table, ET_XNN_GROUP_DIM),
                           .group = et_fb_u32(table, ET_XNN_GROUP_SIZE),
                           .count = et_fb_u32(table, ET_XNN_GROUP_COUNT),
                           .constant = et_fb_u32(table, ET_XNN_GROUP_CONSTANT),
                           .inline_scales =
                               et_fb_list(table, ET_XNN_GROUP_SCALES)};
  if (et_fb_count(q.inline_scales) == 0) {
    q.is_bf16 = true;
    q.inline_scales = et_fb_list(table, ET_XNN_GROUP_SCALES_BF16);
  }
  return q;
}

static et_xnn_quantization quantization_of(et_fb_table quantized) {
  const uint8_t tag = et_fb_u8(quantized, ET_XNN_QUANTIZED_TAG);
  const et_fb_table table = et_fb_child(quantized, ET_XNN_QUANTIZED_BY);
  et_xnn_quantization q = {.inline_scales = ET_FB_EMPTY_VECTOR};
  if (tag == ET_XNN_BY_CHANNEL) {
    q = by_channel(table);
  } else if (tag == ET_XNN_BY_GROUP) {
    q = by_group(table);
  } else if (tag == ET_XNN_BY_TENSOR) {
    q.scale = et_fb_f32(table, ET_XNN_TENSOR_SCALE);
    q.zero_point = et_fb_i32(table, ET_XNN_TENSOR_ZERO_POINT);
  } else {
    q.row_dims = et_fb_u32(table, ET_XNN_ROW_DIMS);
  }
  if (q.constant == 0 && q.count == 0) {
    q.count = et_fb_count(q.inline_scales);
  }
  q.by = tag;
  return q;
}

bool et_xnn_count(const et_xnn_dims *dims, size_t *out) {
  /* The size in bytes must fit in size_t, which has 32 bits on some targets. */
  const uint64_t limit = et_min_u64(INT32_MAX, SIZE_MAX / sizeof(int64_t));
  uint64_t numel = 1;
  for (uint8_t i = 0; i < dims->rank; i++) {
    numel *= (uint64_t)dims->sizes[i];
    if (numel > limit) {
      return false;
    }
  }
  *out = (size_t)numel;
  return true;
}

/* Old files declare dynamically quantized rows as float32 inputs with a second datatype. */
static void read_implied_rows(et_fb_table tensor, et_xnn_value *value) {
  if ((int16_t)et_fb_u16(tensor, ET_XNN_TENSOR_QUANTIZED_AS) == ET_XNN_QINT8 &&
      value->datatype == ET_XNN_FP32 && value->flags == ET_XNN_EXTERNAL_INPUT) {
    value->datatype = ET_XNN_QDINT8;
    value->quantization =
        (et_xnn_quantization){.by = ET_XNN_BY_ROW, .row_dims = 1};
  }
}

static et_xnn_value read_value(const et_xnn_graph *graph, uint32_t id) {
  const et_fb_table table = et_fb_child_at(graph->values, id);
  const et_fb_table member = et_fb_child(table, ET_XNN_VALUE);
  const bool is_quantized =
      et_fb_u8(table, ET_XNN_VALUE_TAG) == ET_XNN_VALUE_QUANTIZED;
  const et_fb_table tensor =
      is_quantized ? et_fb_child(member, ET_XNN_QUANTIZED_TENSOR) : member;
  const et_fb_vector dims = et_fb_list(tensor, ET_XNN_TENSOR_DIMS);
  et_xnn_value value = {.datatype =
                            (uint8_t)et_fb_u16(tensor, ET_XNN_TENSOR_DATATYPE),
                        .constant = et_fb_u32(tensor, ET_XNN_TENSOR_CONSTANT),
                        .external = et_fb_u32(tensor, ET_XNN_TENSOR_EXTERNAL),
                        .flags = et_fb_u32(tensor, ET_XNN_TENSOR_FLAGS)};
  value.dims.rank =
      (uint8_t)(et_fb_count(dims) < ET_XNN_MAX_DIMS ? et_fb_count(dims)
                                                    : ET_XNN_MAX_DIMS);
  for (uint8_t i = 0; i < value.dims.rank; i++) {
    value.dims.sizes[i] = et_fb_i32_at(dims, i);
  }
  et_xnn_count(&value.dims, &value.numel);
  if (is_quantized) {
    value.quantization = quantization_of(member);
  }
  read_implied_rows(tensor, &value);
  return value;
}

et_xnn_value et_xnn_value_at(const et_xnn_graph *graph, uint32_t id) {
  et_xnn_recent *recent = graph->recent;
  const size_t place = id % ET_XNN_RECENT;
  if (recent == NULL) {
    return read_value(graph, id);
  }
  if (recent->value_ids[place] != id) {
    recent->values[place] = read_value(graph, id);
    recent->value_ids[place] = id;
  }
  return recent->values[place];
}

et_scalar_type et_xnn_storage(const et_xnn_value *value) {
  switch ((et_xnn_datatype)value->datatype) {
    case ET_XNN_FP16:
      return ET_SCALAR_TYPE_FLOAT16;
    case ET_XNN_BF16:
      return ET_SCALAR_TYPE_BFLOAT16;
    case ET_XNN_QINT8:
    case ET_XNN_QCINT8:
      return ET_SCALAR_TYPE_INT8;
    case ET_XNN_QUINT8:
    case ET_XNN_QCINT4:
    case ET_XNN_QBINT4:
      return ET_SCALAR_TYPE_UINT8;
    case ET_XNN_QINT32:
    case ET_XNN_QCINT32:
    case ET_XNN_INT32:
      return ET_SCALAR_TYPE_INT32;
    default:
      return ET_SCALAR_TYPE_FLOAT32;
  }
}

bool et_xnn_is_8_bit(const et_xnn_value *value) {
  return value->datatype == ET_XNN_QINT8 || value->datatype == ET_XNN_QUINT8;
}

bool et_xnn_is_floating(const et_xnn_value *value) {
  return value->datatype == ET_XNN_FP32 || value->datatype == ET_XNN_FP16 ||
         value->datatype == ET_XNN_BF16;
}

bool et_xnn_has_nibbles(const et_xnn_value *value) {
  return value->datatype == ET_XNN_QCINT4 || value->datatype == ET_XNN_QBINT4;
}

bool et_xnn_same_quantization(const et_xnn_value *a, const et_xnn_value *b) {
  return a->datatype == b->datatype &&
         a->quantization.by == b->quantization.by &&
         a->quantization.scale == b->quantization.scale &&
         a->quantization.zero_point == b->quantization.zero_point;
}

/* Quantization that a datatype requires. UNKNOWN marks unsupported datatypes. */
#define UNKNOWN UINT8_MAX
static const uint8_t quantized_by[ET_XNN_DATATYPE_COUNT] = {
    [ET_XNN_INVALID] = UNKNOWN,
    [ET_XNN_QINT8] = ET_XNN_BY_TENSOR,
    [ET_XNN_QUINT8] = ET_XNN_BY_TENSOR,
    [ET_XNN_QINT32] = ET_XNN_BY_TENSOR,
    [ET_XNN_QCINT8] = ET_XNN_BY_CHANNEL,
    [ET_XNN_QCINT32] = ET_XNN_BY_CHANNEL,
    [ET_XNN_QCINT4] = ET_XNN_BY_CHANNEL,
    [ET_XNN_QDINT8] = ET_XNN_BY_ROW,
    [ET_XNN_QBINT4] = ET_XNN_BY_GROUP,
    [ET_XNN_QPINT8] = UNKNOWN,
    [ET_XNN_PFP32] = UNKNOWN,
};

static et_status check_tensor_scale(uint32_t id, const et_xnn_value *value,
                                    et_error *error) {
  const et_xnn_quantization *q = &value->quantization;
  const bool is_unsigned = value->datatype == ET_XNN_QUINT8;
  const bool is_wide = value->datatype == ET_XNN_QINT32;
  const int32_t low = is_wide ? INT32_MIN : is_unsigned ? 0 : INT8_MIN;
  const int32_t high = is_wide ? INT32_MAX : is_unsigned ? UINT8_MAX : INT8_MAX;
  ET_XNN_CHECK(error, isnormal(q->scale) && q->scale > 0,
               "xvalues[%u] has a scale that is not a positive number",
               (unsigned)id);
  ET_XNN_CHECK(error, q->zero_point >= low && q->zero_point <= high,
               "xvalues[%u] has zero point %d, which is out of range",
               (unsigned)id, (int)q->zero_point);
  return ET_STATUS_OK;
}

/* The number of scales is checked where they are read (weights.c). */
static et_status check_quantization(uint32_t id, const et_xnn_value *value,
                                    et_error *error) {
  const et_xnn_quantization *q = &value->quantization;
  ET_XNN_CHECK(error,
               value->datatype < ET_XNN_DATATYPE_COUNT &&
                   quantized_by[value->datatype] == q->by,
               "xvalues[%u] has incompatible datatype %u and quantization %u",
               (unsigned)id, (unsigned)value->datatype, (unsigned)q->by);
  if (q->by == ET_XNN_BY_TENSOR) {
    return check_tensor_scale(id, value, error);
  }
  if (q->by == ET_XNN_BY_ROW) {
    ET_XNN_CHECK(error, q->row_dims >= 1 && q->row_dims <= value->dims.rank,
                 "xvalues[%u] has invalid row rank %u", (unsigned)id,
                 (unsigned)q->row_dims);
  } else if (q->by != 0) {
    ET_XNN_CHECK(error, value->constant != 0 && q->dim < value->dims.rank,
                 "xvalues[%u] has scales along dim %u, but is not a constant "
                 "or has no such dim",
                 (unsigned)id, (unsigned)q->dim);
  }
  return ET_STATUS_OK;
}

static et_status check_dims(uint32_t id, et_fb_table tensor,
                            const et_xnn_value *value, et_error *error) {
  const et_fb_vector dims = et_fb_list(tensor, ET_XNN_TENSOR_DIMS);
  size_t numel = 0;
  ET_XNN_CHECK(error,
               et_fb_count(dims) <= ET_XNN_MAX_DIMS &&
                   et_fb_count(dims) == et_fb_u32(tensor, ET_XNN_TENSOR_RANK),
               "xvalues[%u] has %u dims, but declares %u", (unsigned)id,
               (unsigned)et_fb_count(dims),
               (unsigned)et_fb_u32(tensor, ET_XNN_TENSOR_RANK));
  for (uint8_t i = 0; i < value->dims.rank; i++) {
    ET_XNN_CHECK(error, value->dims.sizes[i] >= (value->constant != 0 ? 1 : 0),
                 "xvalues[%u] has invalid size %d of dim %u", (unsigned)id,
                 (int)value->dims.sizes[i], (unsigned)i);
  }
  ET_XNN_CHECK(error, et_xnn_count(&value->dims, &numel),
               "xvalues[%u] has too many elements", (unsigned)id);
  return ET_STATUS_OK;
}

/* Checks that a value is an argument, a constant or an intermediate value. */
static et_status check_place(const et_xnn_graph *graph, uint32_t id,
                             const et_xnn_value *value, et_error *error) {
  const bool is_external = value->external != ET_XNN_NO_VALUE;
  ET_XNN_CHECK(error,
               value->flags <= ET_XNN_EXTERNAL_OUTPUT &&
                   is_external == (value->flags != 0) &&
                   (!is_external || value->external < graph->external_count),
               "xvalues[%u] has invalid flags %u, or argument index %u is "
               "invalid (%u arguments)",
               (unsigned)id, (unsigned)value->flags, (unsigned)value->external,
               (unsigned)graph->external_count);
  ET_XNN_CHECK(
      error,
      value->constant == 0 ||
          (!is_external && value->constant < et_fb_count(graph->constants)),
      "xvalues[%u] is both an argument and a constant, or constant index %u is "
      "invalid (%u constants)",
      (unsigned)id, (unsigned)value->constant,
      (unsigned)et_fb_count(graph->constants));
  return ET_STATUS_OK;
}

static et_status check_value(const et_xnn_graph *graph, uint32_t id,
                             et_error *error) {
  const et_fb_table table = et_fb_child_at(graph->values, id);
  const et_fb_table tensor = tensor_of(table);
  const et_xnn_value value = et_xnn_value_at(graph, id);
  ET_XNN_CHECK(error, et_fb_u32(tensor, ET_XNN_TENSOR_ID) == id,
               "xvalues[%u] has mismatched id %u", (unsigned)id,
               (unsigned)et_fb_u32(tensor, ET_XNN_TENSOR_ID));
  ET_RETURN_IF_ERROR(check_dims(id, tensor, &value, error));
  ET_RETURN_IF_ERROR(check_place(graph, id, &value, error));
  return check_quantization(id, &value, error);
}

/* Checks that each argument has one value, and that inputs precede outputs. */
static et_status check_externals(const et_xnn_graph *graph, et_error *error) {
  uint8_t flags[ET_XNN_MAX_EXTERNALS] = {0};
  for (uint32_t i = 0; i < et_fb_count(graph->values); i++) {
    const et_xnn_value value = et_xnn_value_at(graph, i);
    if (value.external == ET_XNN_NO_VALUE) {
      continue;
    }
    ET_XNN_CHECK(error, flags[value.external] == 0,
                 "argument %u has two values", (unsigned)value.external);
    flags[value.external] = (uint8_t)value.flags;
  }
  for (uint32_t i = 0; i < graph->external_count; i++) {
    ET_XNN_CHECK(
        error, flags[i] != 0 && (i == 0 || flags[i] >= flags[i - 1]),
        "argument %u has no value, or is an input that follows an output",
        (unsigned)i);
  }
  return ET_STATUS_OK;
}

et_status et_xnn_check_values(const et_xnn_graph *graph, et_error *error) {
  for (uint32_t i = 0; i < et_fb_count(graph->values); i++) {
    ET_RETURN_IF_ERROR(check_value(graph, i, error));
  }
  return check_externals(graph, error);
}
