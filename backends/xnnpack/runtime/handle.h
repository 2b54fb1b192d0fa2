/* The handle of an XnnpackBackend delegate. Declares its options, and the functions that compute
 * its size, build it and prepare it for a call. */
#ifndef BACKENDS_XNNPACK_RUNTIME_HANDLE_H_
#define BACKENDS_XNNPACK_RUNTIME_HANDLE_H_

#include <stdbool.h>

#include "backends/cpu/ops/op.h"
#include "backends/xnnpack/runtime/graph.h"
#include "executorch/backend.h"

/* Options that are set when a method is loaded. */
typedef struct et_xnn_options {
  bool is_without_winograd; /* do not use Winograd's algorithm */
} et_xnn_options;

/* Location and maximum size of a tensor. */
typedef struct et_xnn_slot {
  size_t offset;     /* offset in scratch */
  size_t capacity;   /* maximum size in bytes */
  uint32_t argument; /* index of the argument, for inputs and outputs */
  uint8_t place;     /* et_cpu_place */
  bool is_written;   /* whether an earlier node writes the graph value */
} et_xnn_slot;

/* Sizes of the arrays of a handle. */
typedef struct et_xnn_counts {
  uint32_t tensors; /* graph values come first */
  uint32_t ops;
  uint32_t references; /* tensor operands of ops */
  uint32_t dims;       /* dim operands of ops */
  uint32_t words;      /* attribute words of ops */
  size_t packed_bytes; /* size of packed weights in the handle */
  size_t shared_bytes; /* size of packed weights in the shared store */
} et_xnn_counts;

/* A built delegate. Calls update the tensors, the ops with their operands, and `is_current`.
 * Everything else is constant. */
typedef struct et_xnn_handle {
  et_xnn_graph graph;
  et_xnn_options options;
  et_xnn_counts counts;
  et_cpu_tensor *tensors;
  et_xnn_slot *slots; /* [tensors] */
  et_cpu_op *ops;
  et_cpu_tensor **references;
  const int32_t **dim_references;
  int32_t *dims;
  uint32_t *words;
  size_t *scratch_offsets; /* [nodes]: offset of the node's own tensors */
  uint32_t *arguments;     /* [arguments]: id of the argument's value */
  uint8_t *packed;
  size_t scratch_bytes;
  size_t threads;
  bool is_current; /* whether ops match the current input sizes */
  uint8_t isa;     /* et_cpu_isa */
} et_xnn_handle;

#define ET_XNN_ALIGNED(bytes)                                    \
  (((bytes) + ET_CPU_ALIGNMENT - (size_t)1) / ET_CPU_ALIGNMENT * \
   ET_CPU_ALIGNMENT)

/* Size in bytes of a handle with these counts. A program's manifest reserves this size for each
 * delegate. */
#define ET_XNN_HANDLE_BYTES(tensors, ops, references, dims, words, nodes, \
                            arguments, packed)                            \
  (ET_XNN_ALIGNED(sizeof(et_xnn_handle)) +                                \
   ET_XNN_ALIGNED(sizeof(et_cpu_tensor) * (size_t)(tensors)) +            \
   ET_XNN_ALIGNED(sizeof(et_xnn_slot) * (size_t)(tensors)) +              \
   ET_XNN_ALIGNED(sizeof(et_cpu_op) * (size_t)(ops)) +                    \
   ET_XNN_ALIGNED(sizeof(et_cpu_tensor *) * (size_t)(references)) +       \
   ET_XNN_ALIGNED(sizeof(int32_t *) * (size_t)(dims)) +                   \
   ET_XNN_ALIGNED(sizeof(int32_t) * (size_t)(dims)) +                     \
   ET_XNN_ALIGNED(sizeof(uint32_t) * (size_t)(words)) +                   \
   ET_XNN_ALIGNED(sizeof(size_t) * (size_t)(nodes)) +                     \
   ET_XNN_ALIGNED(sizeof(uint32_t) * (size_t)(arguments)) + (size_t)(packed))

/* Reads the options. Fails with INVALID_ARGUMENT if a name or a value is unknown. The value of
 * "isa" is not checked here. */
et_status et_xnn_read_options(const et_backend_context *context,
                              et_xnn_options *out);

/* Returns the option with the given name, or NULL. */
const et_backend_option *et_xnn_find_option(const et_backend_context *context,
                                            const char *name);

/* Counts and sizes that determine the memory of a delegate. */
typedef struct et_xnn_sizes {
  et_xnn_counts counts;
  uint32_t nodes;
  uint32_t arguments; /* number of inputs and outputs of a call */
  size_t outputs;     /* number of outputs of a call */
  size_t scratch_bytes;
} et_xnn_sizes;

/* Verifies the payload and counts the memory that its ops need. */
et_status et_xnn_compute_sizes(const et_backend_context *context,
                               et_xnn_sizes *out);

/* Reports the memory that the delegate needs. Implements et_backend.measure. */
et_status et_xnn_measure(const et_backend_context *context,
                         et_backend_requirements *out);

/* Builds the handle in the context's arena. Fails with DELEGATE_MEMORY if the arena is too
 * small. */
et_status et_xnn_build(const et_backend_context *context, uint8_t isa,
                       et_xnn_handle **out);

/* Checks the arguments, updates the ops for the input sizes, resizes the outputs, and sets the data
 * pointers of all tensors. */
et_status et_xnn_bind(et_xnn_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error);

/* Converts int32 results to int64 in place, for outputs that are int64. */
void et_xnn_finish(const et_xnn_handle *handle, et_value **args);

#endif /* BACKENDS_XNNPACK_RUNTIME_HANDLE_H_ */
