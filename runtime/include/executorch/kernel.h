/* The calling convention of kernels, and the tables that list them. */
#ifndef EXECUTORCH_KERNEL_H_
#define EXECUTORCH_KERNEL_H_

#include <stddef.h>

#include "executorch/arena.h"
#include "executorch/observer.h"
#include "executorch/parallel.h"
#include "executorch/random.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resources for one kernel call, in addition to the arguments. Valid for that
 * call. */
typedef struct et_kernel_context {
  /* At least the bytes that this call's `prepare` requested, or
   * et_kernel.scratch_bytes without a `prepare`. 64-byte aligned; contents
   * undefined. */
  et_mutable_span scratch;
  void *state;                 /* built by `prepare`; NULL without one */
  const et_parallel *parallel; /* NULL: run on the calling thread only */
  const et_observer *observer; /* NULL: no observer */
  /* Filled by et_fail; may be NULL. */
  et_error *error;
  et_random *random; /* source of random numbers; NULL: none */
} et_kernel_context;

/* A kernel: computes one operator.
 *
 * `args` has the operands in the order of the operator's `.out` schema,
 * including defaults, then the out operands, then the return values, which
 * repeat the out operands.
 *
 * The method loader guarantees:
 *
 * - the number and kinds of the arguments match the signature;
 * - every tensor satisfies its rule and has memory;
 * - no out overlaps an operand, unless the operator is in place.
 *
 * The kernel must check sizes, attributes, values and relations between
 * tensors before it writes. It reports a violation with
 * et_fail(context->error, INVALID_ARGUMENT, ...). It sets the sizes of its
 * outs with et_tensor_resize. */
typedef et_status (*et_kernel_fn)(et_kernel_context *context, et_value **args);

/* Resources for the preparation of one kernel call. */
typedef struct et_prepare_context {
  /* For the state, which lives as long as the method; allocations return NULL
   * when measuring. */
  et_arena *arena;
  /* In: et_kernel.scratch_bytes; out: bytes that this call needs. */
  size_t scratch_bytes;
  const et_parallel *parallel; /* NULL: run on the calling thread only */
  et_error *error;             /* may be NULL */
} et_prepare_context;

/* Prepares one kernel call when its method is loaded.
 *
 * Typical work: choose a loop, pack weights, request scratch. Set *out_state,
 * which is NULL on entry, to the state that `run` receives in its context.
 *
 * The runtime calls this function several times with the same arguments: first
 * with measuring arenas, last with a real one. Every call must allocate the
 * same bytes and request the same scratch.
 *
 * Tensors have their upper-bound sizes. Only constants of the program have
 * data; it is valid while the program is open. Scalars have their initial
 * values. The arguments themselves are valid for this call only. */
typedef et_status (*et_kernel_prepare_fn)(et_prepare_context *context,
                                          et_value *const *args,
                                          void **out_state);

/* The dim orders that a kernel accepts. */
typedef enum et_layout_rule {
  ET_LAYOUT_ANY = 0,
  ET_LAYOUT_CONTIGUOUS = 1,    /* 0, 1, 2, ... */
  ET_LAYOUT_CHANNELS_LAST = 2, /* 0, 2, 3, ..., 1; rank 3 or more */
} et_layout_rule;

/* Upper bound of et_tensor_rule.group. Group 0 means no group. */
#define ET_TENSOR_GROUPS 8

/* The tensors that a kernel accepts for one tensor or tensor-list argument. */
typedef struct et_tensor_rule {
  uint32_t dtypes;  /* bit set: 1u << et_scalar_type */
  uint8_t rank_low; /* lowest allowed rank */
  uint8_t rank_high;
  uint8_t layout; /* et_layout_rule */
  uint8_t group;  /* all tensors of a group have the same dtype; 0: no group */
} et_tensor_rule;

/* One row of a kernel table. All pointers refer to static data.
 *
 * `rules` has one entry for each tensor argument (t w m T W O) before '>' in
 * the signature, in order. NULL accepts every tensor. The loader enforces the
 * rules, so `run` never receives a tensor that violates them.
 *
 * `signature` has one code for each argument of the schema in
 * schema/operators.toml, in its order. A '?' before a code allows None. The
 * part after '>' has one code for each return value that a call lists after its
 * arguments:
 *
 *   t Tensor   w out Tensor (written)   m Tensor that is read, and partly written
 *   i int, SymInt, dtype, layout, ...
 *   b bool     d float                  n Scalar: int, bool or float
 *   s str      I int[]    D float[]     B bool[]
 *   T Tensor[] W out Tensor[]           O Tensor?[]
 *   x int, bool or float that the call writes (only after '>')
 *
 * The codes after '>' are:
 *
 * - w: the one tensor that the call writes. It repeats the out operand of an
 *   `.out` operator or the operand of an in-place operator, or it is the result
 *   of a prim operator without out operands.
 * - W: a list that repeats two or more out operands, or the one out Tensor[].
 * - x: a scalar that a prim operator returns.
 * - No '>': the call lists no return value.
 *
 * Examples:
 *   aten::add.out                      ttnw>w
 *   aten::max_pool2d_with_indices.out  tIIIIbww>W
 *   aten::split_copy.Tensor_out        tiiW>W
 *   aten::copy_                        wtb>w
 *   aten::index_put_                   mOtb>w
 *   aten::sym_size.int                 ti>x
 *   executorch_prim::et_view.default   tI>w */
typedef struct et_kernel {
  const char *name; /* "aten::add.out" */
  const char *signature;
  const et_tensor_rule *rules;
  et_kernel_fn run;
  et_kernel_prepare_fn prepare; /* may be NULL */
  size_t scratch_bytes;
} et_kernel;

/* Rows sorted by name (strcmp).
 *
 * Rows with the same name have the same signature. The first of them whose
 * rules match a call runs it. */
typedef struct et_kernel_table {
  const et_kernel *kernels;
  size_t count;
} et_kernel_table;

/* Returns the first row named `name`, or NULL. `name` has no NUL inside. O(log
 * count). */
const et_kernel *et_kernel_table_find(const et_kernel_table *table,
                                      et_string name);

/* Returns the row after `kernel` if it has the same name, otherwise NULL. */
const et_kernel *et_kernel_table_next(const et_kernel_table *table,
                                      const et_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_KERNEL_H_ */
