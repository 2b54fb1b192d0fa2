#include "backends/xnnpack/runtime/graph.h"

#include <string.h>

#include "backends/xnnpack/runtime/recent.h"
#include "backends/xnnpack/runtime/schema.h"
#include "executorch/checked.h"
#include "runtime/program/schema_types.h"

/* Offsets of the header's fields. A header has at least HEADER_BYTES bytes. */
enum {
  MAGIC = 4,
  FLATBUFFER_OFFSET = 10,
  FLATBUFFER_SIZE = 14,
  DATA_OFFSET = 18,
  DATA_SIZE = 22,
  HEADER_BYTES = 30
};

/* A flatbuffer starts with the offset of its root and its identifier. */
#define IDENTIFIER_AT 4
#define ROOT_BYTES 8

static uint32_t word_at(et_span bytes, size_t at) {
  uint32_t word = 0;
  memcpy(&word, bytes.data + at, sizeof word);
  return word;
}

static uint64_t long_at(et_span bytes, size_t at) {
  uint64_t number = 0;
  memcpy(&number, bytes.data + at, sizeof number);
  return number;
}

static bool has_text(et_span bytes, size_t at, const char *text) {
  return memcmp(bytes.data + at, text, strlen(text)) == 0;
}

/* Splits the payload into flatbuffer and constants according to its header. A payload without a
 * header is a flatbuffer. */
static et_status split(et_span payload, et_error *error, et_span *flatbuffer,
                       et_xnn_graph *out) {
  *flatbuffer = payload;
  ET_XNN_CHECK(error, payload.size >= HEADER_BYTES,
               "%zu bytes are too few for a header", payload.size);
  if (!has_text(payload, MAGIC, "XH00")) {
    return ET_STATUS_OK;
  }
  const uint32_t first = word_at(payload, FLATBUFFER_OFFSET);
  const uint32_t size = word_at(payload, FLATBUFFER_SIZE);
  const uint32_t data = word_at(payload, DATA_OFFSET);
  const uint64_t data_size = long_at(payload, DATA_SIZE);
  ET_XNN_CHECK(error,
               first >= HEADER_BYTES && et_range_in(first, size, payload.size),
               "flatbuffer of %u bytes at %u exceeds the payload of %zu bytes",
               (unsigned)size, (unsigned)first, payload.size);
  ET_XNN_CHECK(error,
               data >= (uint64_t)first + size &&
                   et_range_in(data, data_size, payload.size),
               "constants of %llu bytes at %u are out of bounds",
               (unsigned long long)data_size, (unsigned)data);
  *flatbuffer = (et_span){payload.data + first, size};
  out->data = (et_span){payload.data + data, (size_t)data_size};
  return ET_STATUS_OK;
}

static et_status check_identifier(et_span flatbuffer, et_error *error) {
  ET_XNN_CHECK(error, flatbuffer.size >= ROOT_BYTES,
               "flatbuffer of %zu bytes is too small", flatbuffer.size);
  ET_XNN_CHECK(error,
               has_text(flatbuffer, IDENTIFIER_AT, "XN01") ||
                   has_text(flatbuffer, IDENTIFIER_AT, "XN00"),
               "unknown flatbuffer identifier, expected XN01 or XN00");
  return ET_STATUS_OK;
}

static et_fb_vector tables_of(et_fb_table table, uint16_t field) {
  return et_fb_list(table, field);
}

et_status et_xnn_graph_open(et_span payload, et_error *error,
                            et_xnn_graph *out) {
  et_span flatbuffer;
  *out = (et_xnn_graph){.data = {NULL, 0}};
  ET_RETURN_IF_ERROR(split(payload, error, &flatbuffer, out));
  ET_RETURN_IF_ERROR(check_identifier(flatbuffer, error));
  const uint32_t root = word_at(flatbuffer, 0);
  ET_RETURN_IF_ERROR(et_schema_verify(flatbuffer, &et_xnn_schema, root, error));
  const et_fb_table graph = et_fb_table_at(flatbuffer, root);
  out->nodes = tables_of(graph, ET_XNN_GRAPH_NODES);
  out->values = tables_of(graph, ET_XNN_GRAPH_VALUES);
  out->external_count = et_fb_u32(graph, ET_XNN_GRAPH_EXTERN_COUNT);
  out->constants = tables_of(graph, ET_XNN_GRAPH_CONSTANTS);
  out->has_buffers = !et_fb_has(graph, ET_XNN_GRAPH_CONSTANTS);
  if (out->has_buffers) {
    out->constants = tables_of(graph, ET_XNN_GRAPH_BUFFERS);
  }
  ET_XNN_CHECK(error, out->external_count <= ET_XNN_MAX_EXTERNALS,
               "%u arguments, expected at most %u",
               (unsigned)out->external_count, ET_XNN_MAX_EXTERNALS);
  return ET_STATUS_OK;
}

et_string et_xnn_constant_key(const et_xnn_graph *graph, uint32_t index) {
  const et_string none = {"", 0};
  const et_fb_table table = et_fb_child_at(graph->constants, index);
  return graph->has_buffers ? none : et_fb_text(table, ET_XNN_CONSTANT_KEY);
}

/* Returns the data of a constant without a key: its buffer, or all bytes from its offset to the end
 * of the payload. */
static et_span bytes_inside(const et_xnn_graph *graph, uint32_t index) {
  const et_fb_table table = et_fb_child_at(graph->constants, index);
  if (graph->has_buffers) {
    return et_fb_bytes(table, ET_XNN_BUFFER_BYTES);
  }
  const uint64_t offset = et_fb_u64(table, ET_XNN_CONSTANT_OFFSET);
  if (offset > graph->data.size) {
    return (et_span){NULL, 0};
  }
  return (et_span){graph->data.data + offset,
                   graph->data.size - (size_t)offset};
}

static et_status find(const et_xnn_graph *graph,
                      const et_backend_context *context, uint32_t index,
                      et_span *out) {
  const et_string key = et_xnn_constant_key(graph, index);
  if (key.size != 0) {
    return context->find_data(context, key, out, context->error);
  }
  *out = bytes_inside(graph, index);
  return ET_STATUS_OK;
}

/* Like find(), but keeps constants in a cache, so that each is looked up only once. */
static et_status find_once(const et_xnn_graph *graph,
                           const et_backend_context *context, uint32_t index,
                           et_span *out) {
  et_xnn_recent *recent = graph->recent;
  const size_t place = index % ET_XNN_RECENT;
  if (recent == NULL) {
    return find(graph, context, index, out);
  }
  if (recent->constant_indices[place] != index) {
    recent->constant_indices[place] = ET_XNN_NO_VALUE;
    ET_RETURN_IF_ERROR(find(graph, context, index, &recent->constants[place]));
    recent->constant_indices[place] = index;
  }
  *out = recent->constants[place];
  return ET_STATUS_OK;
}

et_status et_xnn_constant(const et_xnn_graph *graph,
                          const et_backend_context *context, uint32_t index,
                          size_t size, const uint8_t **out) {
  et_span bytes = {NULL, 0};
  ET_XNN_CHECK(context->error,
               index != 0 && index < et_fb_count(graph->constants),
               "constant %u does not exist", (unsigned)index);
  ET_RETURN_IF_ERROR(find_once(graph, context, index, &bytes));
  ET_XNN_CHECK(context->error, bytes.size >= size,
               "constant %u has %zu bytes, expected at least %zu",
               (unsigned)index, bytes.size, size);
  *out = bytes.data;
  return ET_STATUS_OK;
}
