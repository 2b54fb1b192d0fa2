/* What XnnpackBackend keeps of a delegate. */
#ifndef BACKENDS_XNNPACK_RUNTIME_HANDLE_H_
#define BACKENDS_XNNPACK_RUNTIME_HANDLE_H_

#include "backends/cpu/ops/op.h"
#include "backends/xnnpack/runtime/graph.h"
#include "backends/xnnpack/runtime/options.h"

#define ET_XNN_ALIGNMENT 64

/* Where a tensor's bytes lie, and how many may. */
typedef struct et_xnn_slot {
  size_t offset; /* in scratch */
  size_t capacity;
  uint32_t argument; /* of the delegate's calls, at INPUT and OUTPUT */
  uint8_t place;     /* et_cpu_place */
  bool is_written;   /* by a node, of the values that nodes write */
} et_xnn_slot;

/* How much of everything the ops of a graph take. */
typedef struct et_xnn_counts {
  uint32_t tensors; /* those of values come first */
  uint32_t ops;
  uint32_t references; /* of ops to tensors */
  uint32_t dims;       /* of ops */
  uint32_t words;      /* their attributes */
  size_t packed_bytes; /* weights as ops read them */
  size_t shared_bytes; /* those of them that methods share */
} et_xnn_counts;

/* Sizes and pointers are those of the current call; everything else is fixed. */
typedef struct et_xnn_handle {
  et_xnn_graph graph;
  et_xnn_options options;
  et_xnn_counts counts;
  et_cpu_tensor *tensors;
  et_xnn_slot *slots; /* of tensors */
  et_cpu_op *ops;
  et_cpu_tensor **references;
  const int32_t **dim_references;
  int32_t *dims;
  uint32_t *words;
  size_t *rooms;       /* of each node, where in scratch its own tensors lie */
  uint32_t *arguments; /* value of each argument */
  uint8_t *packed;
  size_t scratch_bytes;
  size_t threads;
  bool is_current; /* the ops are those of the arguments' sizes */
  uint8_t isa;     /* et_cpu_isa */
} et_xnn_handle;

#define ET_XNN_ALIGNED(bytes)                                    \
  (((bytes) + ET_XNN_ALIGNMENT - (size_t)1) / ET_XNN_ALIGNMENT * \
   ET_XNN_ALIGNMENT)

/* Bytes of a handle of a graph whose ops take so much of everything. The manifest
 * of a program says this of its delegates. */
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
