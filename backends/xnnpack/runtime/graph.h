/* An opened payload. */
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

#define ET_XNN_MAX_EXTERNALS 1024

struct et_xnn_recent;

/* Spans borrow the payload's memory. The structure of the flatbuffer has been verified, but not its
 * contents. */
typedef struct et_xnn_graph {
  et_fb_vector nodes;
  et_fb_vector values;
  et_fb_vector constants; /* tables ConstantDataOffset or Buffer */
  et_span data;           /* start of the constants */
  uint32_t external_count;
  bool has_buffers;             /* whether the flatbuffer contains constants */
  struct et_xnn_recent *recent; /* may be NULL */
} et_xnn_graph;

/* Reads the header and verifies the structure of the flatbuffer. */
et_status et_xnn_graph_open(et_span payload, et_error *error,
                            et_xnn_graph *out);

/* Sets *out to the data of constant `index`, in the payload or the named data. Fails if it has
 * fewer than `size` bytes. */
et_status et_xnn_constant(const et_xnn_graph *graph,
                          const et_backend_context *context, uint32_t index,
                          size_t size, const uint8_t **out);

/* Returns the key of a constant in the named data, or an empty string if the payload contains
 * it. */
et_string et_xnn_constant_key(const et_xnn_graph *graph, uint32_t index);

/* Fails with DELEGATE_INCOMPATIBLE and the message "payload: ...". */
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
