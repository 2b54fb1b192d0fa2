/* Handle of a delegate of CpuBackend, and its size. */
#ifndef BACKENDS_CPU_RUNTIME_HANDLE_H_
#define BACKENDS_CPU_RUNTIME_HANDLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/ops/op.h"
#include "backends/cpu/runtime/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_CPU_HANDLE_ALIGNMENT 16
#define ET_CPU_NO_VALUE UINT32_MAX

typedef enum et_cpu_argument_kind {
  ET_CPU_UNUSED,
  ET_CPU_INT,
  ET_CPU_TENSOR,
} et_cpu_argument_kind;

/* An argument of a call. Inputs precede outputs. */
typedef struct et_cpu_argument {
  /* Its first value, which has the sizes in memory order, or ET_CPU_NO_VALUE. */
  uint32_t value;
  /* Dim order, 4 bits per dim. The outermost dim is in the lowest bits. */
  uint32_t order;
  uint8_t kind; /* et_cpu_argument_kind */
} et_cpu_argument;

/* Location of a value: byte offset in element `index` of its place. */
typedef struct et_cpu_slot {
  uint32_t offset;
  uint32_t index;
} et_cpu_slot;

/* Constant once built, except for `payload`, `is_current`, `is_written` and the contents of the
 * arrays. Sizes and pointers of tensors are those of the current call. */
typedef struct et_cpu_handle {
  et_cpu_payload payload;
  et_cpu_argument *arguments; /* input_count + output_count */
  et_cpu_tensor *tensors;     /* value_count */
  et_cpu_slot *slots;         /* value_count */
  et_cpu_op *ops;             /* op_count */
  et_cpu_tensor **tensor_refs;
  const int32_t **dim_refs;
  int32_t *dims;        /* [dim_count], for the current call */
  uint32_t *attributes; /* [attribute_words], aligned */
  bool is_static;       /* whether all dims are constants */
  bool is_current;      /* whether ops are verified for `dims` */
  bool is_written;      /* whether reads are verified for the sizes */
  uint8_t isa;          /* et_cpu_isa */
} et_cpu_handle;

#define ET_CPU_ALIGNED(bytes)                                                  \
  (((bytes) + ET_CPU_HANDLE_ALIGNMENT - (size_t)1) / ET_CPU_HANDLE_ALIGNMENT * \
   ET_CPU_HANDLE_ALIGNMENT)

/* Size in bytes of a handle with these counts. tensor_refs, dim_refs and attributes are totals over
 * all ops. The manifest of a program reserves this size per delegate. */
#define ET_CPU_HANDLE_BYTES(arguments, dims, values, ops, tensor_refs, \
                            dim_refs, attributes)                      \
  (ET_CPU_ALIGNED(sizeof(et_cpu_handle)) +                             \
   ET_CPU_ALIGNED(sizeof(et_cpu_argument) * (size_t)(arguments)) +     \
   ET_CPU_ALIGNED(sizeof(et_cpu_tensor) * (size_t)(values)) +          \
   ET_CPU_ALIGNED(sizeof(et_cpu_slot) * (size_t)(values)) +            \
   ET_CPU_ALIGNED(sizeof(et_cpu_op) * (size_t)(ops)) +                 \
   ET_CPU_ALIGNED(sizeof(et_cpu_tensor *) * (size_t)(tensor_refs)) +   \
   ET_CPU_ALIGNED(sizeof(int32_t *) * (size_t)(dim_refs)) +            \
   ET_CPU_ALIGNED(sizeof(int32_t) * (size_t)(dims)) +                  \
   sizeof(uint32_t) * (size_t)(attributes))

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_RUNTIME_HANDLE_H_ */
