/* What lies in et_method_memory.method, and how many bytes that is.
 *
 * The compiler states the size in a program's manifest, so the formula is part of
 * the contract. With A(n) = n rounded up to a multiple of 16, for one method:
 *
 *   method_bytes = A(METHOD)
 *                + A(VALUE * values)
 *                + A(TENSOR * tensors)
 *                + A(POINTER * list_items)
 *                + A(INSTRUCTION * instructions)
 *                + A(POINTER * args)
 *                + A(DELEGATE * delegates)
 *                + A(SPEC * specs)
 *                + A(END * ends)
 *                + A(8 * dims)
 *                + max(check, prepared)
 *   check        = A(POINTER * 2 * planned_tensors)
 *                + A(16 * planned_tensors)
 *                + A(4 * values)
 *
 *   values           entries of ExecutionPlan.values
 *   tensors          those that are Tensor
 *   planned_tensors  those with allocation_info
 *   list_items       items of all IntList, TensorList and OptionalTensorList
 *   instructions     of all chains
 *   args             args of all KernelCall and DelegateCall, 2 for each MoveCall,
 *                    1 for each JumpFalseCall
 *   delegates        entries of ExecutionPlan.delegates
 *   specs            compile_specs of all of them
 *   ends             inputs + outputs
 *   dims             sum of the ranks of all tensors
 *   prepared         the handles of delegates, then the states of kernels' calls,
 *                    each from the next multiple of ET_MEMORY_ALIGNMENT to one;
 *                    0 without either
 *
 *                LP64   ILP32
 *   METHOD        160    92
 *   VALUE          24    16
 *   TENSOR         56    32
 *   POINTER         8     4
 *   INSTRUCTION    32    20
 *   DELEGATE       32    20
 *   SPEC           32    16
 *   END            16     8
 *
 * build_reserve.c asserts these sizes. With 32-bit pointers they are the most that
 * any ABI needs. `check` is working memory of the check of the memory plan; the
 * delegates' handles and the calls' states take its place afterwards. */
#ifndef ET_RUNTIME_METHOD_LAYOUT_H_
#define ET_RUNTIME_METHOD_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/kernel.h"
#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/value.h"

/* Alignment of every region. */
#define ET_REGION_ALIGNMENT 16

/* One step of a method. Chains are laid end to end. */
typedef struct et_instruction {
  uint8_t tag;           /* ET_INSTRUCTION_* */
  bool binds_out;        /* a view: see views.h */
  uint16_t arg_count;
  uint16_t output_count; /* of a delegate call: its last args that it writes */
  bool in_loop;          /* a jump at or behind it leads to it or before it */
  union {
    const et_kernel *kernel;
    uint32_t delegate; /* index */
    uint32_t target;   /* of a jump: index of the next instruction */
  } u;
  et_value **args; /* move: from, to; jump: condition */
  void *state;     /* of a kernel call: what its `prepare` built, or NULL */
} et_instruction;

typedef struct et_delegate {
  const et_backend *backend;
  void *handle;
  size_t handle_bytes;
  uint32_t output_count;
  bool is_built; /* has a handle to destroy */
} et_delegate;

/* An input or output. */
typedef struct et_end {
  et_value *value;
  bool is_planned; /* lies in planned memory */
  bool is_set;     /* an input that was given, an output that has memory */
} et_end;

struct et_method {
  et_program program;
  et_mutable_span scratch;
  const et_parallel *parallel;
  const et_observer *observer;
  et_value *values;
  et_instruction *instructions;
  et_delegate *delegates;
  et_end *inputs;
  et_end *outputs;
  uint32_t plan; /* position of the ExecutionPlan table */
  uint32_t value_count;
  uint32_t instruction_count;
  uint32_t delegate_count;
  uint32_t input_count;
  uint32_t output_count;
  bool lends_views; /* some instruction binds_out */
};

#endif /* ET_RUNTIME_METHOD_LAYOUT_H_ */
