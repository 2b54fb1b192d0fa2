/* The handle of a CpuBackend delegate, and its size. */
#ifndef BACKENDS_CPU_RUNTIME_HANDLE_H_
#define BACKENDS_CPU_RUNTIME_HANDLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/ops/op.h"
#include "backends/cpu/runtime/payload.h"
#include "executorch/arena.h"
#include "executorch/backend.h"
#include "executorch/span.h"
#include "executorch/value.h"

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
  /* The argument's first value, which has the sizes in memory order; or ET_CPU_NO_VALUE. */
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

/* A built delegate. Calls update `payload`, `is_current`, `is_written` and the contents of the
 * arrays. Everything else is constant. */
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
  bool is_written;      /* whether reads are verified for the current sizes */
  uint8_t isa;          /* et_cpu_isa */
} et_cpu_handle;

#define ET_CPU_ALIGNED(bytes)                                                  \
  (((bytes) + ET_CPU_HANDLE_ALIGNMENT - (size_t)1) / ET_CPU_HANDLE_ALIGNMENT * \
   ET_CPU_HANDLE_ALIGNMENT)

/* Size in bytes of a handle with these counts. tensor_refs, dim_refs and attributes are totals over
 * all ops. A program's manifest reserves this size for each delegate. */
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

/* Builds the handle of a payload. */

/* Allocates ET_CPU_HANDLE_BYTES from the arena. *out is NULL if the arena only measures. */
et_status et_cpu_reserve(const et_cpu_payload *payload, et_arena *arena,
                         et_error *error, et_cpu_handle **out);

/* Initializes the memory of et_cpu_reserve() with all dims at their maxima. Checks the location of
 * each value and resolves op types. et_cpu_verify() checks the ops. */
et_status et_cpu_build(const et_backend_context *context,
                       et_cpu_handle *handle);

/* Verifies the ops of a handle. */

/* Verifies the ops with all dims at their maxima. Ops must write only to scratch, outputs and
 * states, and must not overwrite their other tensors. If all dims are constants, calls
 * et_cpu_verify_call(). Otherwise, verifies op types except for the sizes of dynamic ops; the first
 * call verifies the rest. */
et_status et_cpu_verify(et_cpu_handle *handle, et_error *error);

/* Verifies the ops at the current sizes. Every byte that an op reads, and every byte of the
 * outputs, must have been written, and each op type must accept its op. This is repeated when sizes
 * change, because an op might then write fewer bytes than a later op reads. If only an int argument
 * changes, only the op types' checks are repeated. */
et_status et_cpu_verify_call(et_cpu_handle *handle, et_error *error);

/* Computes dims, and from them the sizes of tensors. */

/* Sets all dims to their maxima. Sets `is_static` if all dims are constants. */
void et_cpu_dims_to_maxima(et_cpu_handle *handle);

/* Computes all dims for a call. Clears `is_current` if one changes. Fails with INVALID_ARGUMENT if
 * a dim is outside 0..maximum. The arguments must have the kinds that the dims expect. */
et_status et_cpu_dims_update(et_cpu_handle *handle, et_value **args,
                             et_error *error);

/* Computes sizes, elements and bytes of all tensors from the dims. Fails with DELEGATE_INCOMPATIBLE
 * if a tensor has more than INT32_MAX elements or SIZE_MAX bytes. If it succeeds at the maxima, it
 * cannot fail in a call. */
et_status et_cpu_tensors_update(et_cpu_handle *handle, et_error *error);

/* Prepares a handle for a call. */

/* Checks the arguments, computes all sizes, resizes the outputs, and sets the data pointers of all
 * tensors. Does not write tensor data. */
et_status et_cpu_bind(et_cpu_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_HANDLE_H_ */
