/* Handle of a delegate of XnnpackBackend. */
#ifndef BACKENDS_XNNPACK_RUNTIME_HANDLE_H_
#define BACKENDS_XNNPACK_RUNTIME_HANDLE_H_

#include "backends/cpu/ops/op.h"
#include "backends/xnnpack/runtime/graph.h"
#include "backends/xnnpack/runtime/options.h"

#define ET_XNN_ALIGNMENT 64

/* Location and maximum size of a tensor. */
typedef struct et_xnn_slot {
  size_t offset; /* in scratch */
  size_t capacity;
  uint32_t argument; /* argument index, for inputs and outputs */
  uint8_t place;     /* et_cpu_place */
  bool is_written;   /* values only: written by an earlier node */
} et_xnn_slot;

/* Sizes of the arrays of a handle. */
typedef struct et_xnn_counts {
  uint32_t tensors; /* tensors; those of graph values come first */
  uint32_t ops;
  uint32_t references; /* tensor operands of ops */
  uint32_t dims;       /* dim operands of ops */
  uint32_t words;      /* attribute words of ops */
  size_t packed_bytes; /* packed weights in the handle */
  size_t shared_bytes; /* packed weights in the shared store */
} et_xnn_counts;

/* Sizes and pointers of tensors are those of the current call. Except for `is_current`, everything
 * else is constant once built. */
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
  size_t *rooms;       /* [nodes]: scratch offset of the node's tensors */
  uint32_t *arguments; /* [arguments]: id of the argument's value */
  uint8_t *packed;
  size_t scratch_bytes;
  size_t threads;
  bool is_current; /* whether ops match the current input sizes */
  uint8_t isa;     /* et_cpu_isa */
} et_xnn_handle;

#define ET_XNN_ALIGNED(bytes)                                    \
  (((bytes) + ET_XNN_ALIGNMENT - (size_t)1) / ET_XNN_ALIGNMENT * \
   ET_XNN_ALIGNMENT)

/* Size in bytes of a handle with these counts. The manifest of a program reserves this size per
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

#endif /* BACKENDS_XNNPACK_RUNTIME_HANDLE_H_ */
