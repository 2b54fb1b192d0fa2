/* A payload that has been opened: where its parts lie. */
#ifndef BACKENDS_XNNPACK_RUNTIME_GRAPH_H_
#define BACKENDS_XNNPACK_RUNTIME_GRAPH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "runtime/program/flatbuffer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_XNN_MOST_EXTERNALS 1024

struct et_xnn_recent;

/* Borrowed from the payload. The structure of the flatbuffer has been verified, its
 * numbers have not. */
typedef struct et_xnn_graph {
  et_fb_vector nodes;
  et_fb_vector values;
  et_fb_vector constants; /* ConstantDataOffset, or Buffer */
  et_span data;           /* that offsets of constants count in */
  uint32_t external_count;
  bool has_buffers;             /* constants are inside of the flatbuffer */
  struct et_xnn_recent *recent; /* or NULL; recent.h */
} et_xnn_graph;

/* Reads the header and verifies the flatbuffer's structure. */
et_status et_xnn_graph_open(et_span payload, et_error *error,
                            et_xnn_graph *out);

/* The bytes of constant `index`, at least `size` of them: in the payload or among
 * the named data. */
et_status et_xnn_constant(const et_xnn_graph *graph,
                          const et_backend_context *context, uint32_t index,
                          size_t size, const uint8_t **out);

/* The name of a constant that is named data; empty text for others. */
et_string et_xnn_constant_key(const et_xnn_graph *graph, uint32_t index);

/* A failure of the payload: DELEGATE_INCOMPATIBLE, "payload: ...". */
#define ET_XNN_FAIL(error, ...) \
  et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, "payload: " __VA_ARGS__)

#define ET_XNN_CHECK(error, condition, ...)   \
  do {                                        \
    if (!(condition)) {                       \
      return ET_XNN_FAIL(error, __VA_ARGS__); \
    }                                         \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_XNNPACK_RUNTIME_GRAPH_H_ */
