/* The layout and the size of et_method_memory.method.
 *
 * The structs are private to the runtime; they are public only for their sizes.
 * A program's manifest states counts, and ET_METHOD_BYTES converts them to
 * bytes on the target. Static arrays can then have exactly the size that
 * et_method_measure returns. */
#ifndef EXECUTORCH_METHOD_LAYOUT_H_
#define EXECUTORCH_METHOD_LAYOUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/kernel.h"
#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Alignment of every region. */
#define ET_REGION_ALIGNMENT 16

/* One instruction of a method. The chains of a method are concatenated. */
typedef struct et_instruction {
  uint8_t tag;      /* ET_INSTRUCTION_* */
  bool is_view : 1; /* calls executorch_prim::et_view.default */
  /* A view that binds its output when it runs; see
   * runtime/method/optional_parts.h. */
  bool binds_out : 1;
  bool fills_rows : 1; /* calls et_copy_index in a loop */
  uint16_t arg_count;
  uint16_t output_count; /* delegate calls: trailing args that are written */
  /* Delegate calls: args before the outputs that are updated in place. */
  uint16_t updated_count;
  union {
    const et_kernel *kernel;
    uint32_t delegate; /* index of the delegate */
    uint32_t target;   /* jumps: index of the next instruction */
  } u;
  et_value **args; /* move: source, destination; jump: condition */
  void *state;     /* kernel calls: built by `prepare`, or NULL */
} et_instruction;

typedef struct et_delegate {
  const et_backend *backend;
  void *handle;
  size_t handle_bytes;
  uint32_t output_count;
  uint32_t updated_count;
  bool is_built; /* has a handle to destroy */
} et_delegate;

/* An input or output. */
typedef struct et_io_slot {
  et_value *value;
  bool is_planned;  /* is in planned memory */
  bool is_external; /* the tensor's memory is caller-provided */
  bool is_set;      /* has been set, has memory, or needs neither */
  bool is_cleared;  /* an output that execute zeroes before it runs */
} et_io_slot;

/* A range of a file that is not in memory, and its bytes after reading. The
 * bytes are in et_method_memory.data, followed by a list of all ranges. */
typedef struct et_data_run {
  uint64_t offset; /* in the file */
  size_t size;
  uint8_t *bytes;
  bool is_read;
} et_data_run;

typedef struct et_data {
  et_data_run *runs; /* sorted by offset */
  size_t count;
} et_data;

struct et_method {
  const et_parallel *parallel;
  et_random *random;
  const et_observer *observer;
  uint64_t max_steps;
  et_value *values;
  et_instruction *instructions;
  et_delegate *delegates;
  const struct et_delegation *delegation; /* from the registry */
  const struct et_branching *branching;   /* from the registry */
  /* From the registry, if an instruction binds_out. */
  const struct et_views *views;
  /* From the registry, if the plan has ranges. */
  const struct et_ranges *ranges;
  et_io_slot *inputs;
  et_io_slot *outputs;
  const void *plan; /* its ExecutionPlan table */
  uint32_t value_count;
  uint32_t instruction_count;
  uint32_t delegate_count;
  uint32_t input_count;
  uint32_t output_count;
  bool has_outputs; /* the last run succeeded, and nothing was set since then */
  et_mutable_span scratch;
  et_data data;
  /* Last, so that the offsets of the other fields are small. */
  et_program program;
};

#define ET_MAX(a, b) ((a) > (b) ? (a) : (b))

#define ET_ROUND_UP(bytes, alignment) \
  (((bytes) + (alignment) - (size_t)1) / (alignment) * (alignment))

/* Bytes of an array of `count` structs of `type`. */
#define ET_REGION_BYTES(count, type) \
  ET_ROUND_UP(sizeof(type) * (count), ET_REGION_ALIGNMENT)

/* The contribution of one delegate handle, or one call's state, to `persistent`
 * (see below). */
#define ET_PERSISTENT_BYTES(bytes) \
  ET_ROUND_UP((size_t)(bytes), ET_MEMORY_ALIGNMENT)

/* All regions with the lifetime of the method. */
#define ET_METHOD_REGION_BYTES(values, tensors, list_items, instructions,      \
                               args, delegates, specs, io_slots, dims)         \
  (ET_REGION_BYTES(1u, struct et_method) + ET_REGION_BYTES(values, et_value) + \
   ET_REGION_BYTES(tensors, et_tensor) +                                       \
   ET_REGION_BYTES(list_items, et_value *) +                                   \
   ET_REGION_BYTES(instructions, et_instruction) +                             \
   ET_REGION_BYTES(args, et_value *) +                                         \
   ET_REGION_BYTES(delegates, et_delegate) +                                   \
   ET_REGION_BYTES(specs, et_compile_spec) +                                   \
   ET_REGION_BYTES(io_slots, et_io_slot) +                                     \
   ET_REGION_BYTES(2u * (dims), int32_t))

/* Workspace of the memory plan check. Handles and states later reuse its
 * memory. */
#define ET_PLAN_CHECK_BYTES(values, planned_tensors)    \
  (ET_REGION_BYTES(2u * (planned_tensors), uintptr_t) + \
   ET_REGION_BYTES(4u * (planned_tensors), uint32_t) +  \
   ET_REGION_BYTES(values, int32_t))

/* Computes et_method_requirements.method_bytes.
 *
 *   values           entries of ExecutionPlan.values
 *   tensors          values that are Tensor
 *   planned_tensors  tensors with allocation_info
 *   list_items       items of all IntList, TensorList and OptionalTensorList
 *   instructions     instructions of all chains
 *   args             args of all KernelCall and DelegateCall, 2 for each MoveCall,
 *                    1 for each JumpFalseCall
 *   delegates        entries of ExecutionPlan.delegates
 *   specs            compile_specs of all delegates
 *   io_slots         inputs + outputs
 *   dims             sum of the ranks of all tensors
 *   persistent       sum of ET_PERSISTENT_BYTES of all handles and states, or 0
 */
#define ET_METHOD_BYTES(values, tensors, planned_tensors, list_items,         \
                        instructions, args, delegates, specs, io_slots, dims, \
                        persistent)                                           \
  ET_MAX(ET_METHOD_REGION_BYTES(values, tensors, list_items, instructions,    \
                                args, delegates, specs, io_slots, dims) +     \
             ET_PLAN_CHECK_BYTES(values, planned_tensors),                    \
         (persistent) == 0                                                    \
             ? (size_t)0                                                      \
             : ET_ROUND_UP(ET_METHOD_REGION_BYTES(                            \
                               values, tensors, list_items, instructions,     \
                               args, delegates, specs, io_slots, dims),       \
                           ET_MEMORY_ALIGNMENT) +                             \
                   (persistent))

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_METHOD_LAYOUT_H_ */
