/* What CpuBackend keeps of a delegate, and how many bytes that is. */
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

/* An argument of the delegate's calls: an input, or behind those an output. */
typedef struct et_cpu_argument {
  uint32_t
      value; /* the first that lies there, which has the argument's sizes in
                   * memory order; ET_CPU_NO_VALUE: none does */
  uint32_t order; /* 4 bits a dimension, outermost in the lowest */
  uint8_t kind;   /* et_cpu_argument_kind */
} et_cpu_argument;

/* Where a value lies, beside its tensor. */
typedef struct et_cpu_slot {
  uint32_t offset;
  uint32_t index;
} et_cpu_slot;

/* Everything but `payload`, `is_current`, `is_written` and the arrays' contents is fixed once it is
 * built. Sizes and pointers of tensors are those of the current call. */
typedef struct et_cpu_handle {
  et_cpu_payload payload;
  et_cpu_argument *arguments; /* input_count + output_count */
  et_cpu_tensor *tensors;     /* value_count */
  et_cpu_slot *slots;         /* value_count */
  et_cpu_op *ops;             /* op_count */
  et_cpu_tensor **tensor_refs;
  const int32_t **dim_refs;
  int32_t *dims;        /* dim_count: values of the current call */
  uint32_t *attributes; /* of all ops, aligned */
  bool is_static;       /* no dim depends on the arguments */
  bool is_current;      /* the ops are checked for `dims` */
  bool is_written; /* for the tensors' sizes: all that is read is written */
  uint8_t isa;     /* et_cpu_isa */
} et_cpu_handle;

#define ET_CPU_ALIGNED(bytes)                                                  \
  (((bytes) + ET_CPU_HANDLE_ALIGNMENT - (size_t)1) / ET_CPU_HANDLE_ALIGNMENT * \
   ET_CPU_HANDLE_ALIGNMENT)

/* Bytes of a handle of a payload with so many inputs and outputs, dims, values and
 * ops, whose ops have so many values, dims and attribute words in all. The
 * manifest of a program says this of its delegates. */
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
