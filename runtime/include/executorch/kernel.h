/* The kernel calling convention and the tables kernels are found in. */
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

/* What a kernel may use besides its arguments. Lives for one call. */
typedef struct et_kernel_context {
  /* At least what this call's `prepare` asked for, or et_kernel.scratch_bytes
   * without one; aligned to 64; contents undefined. */
  et_mutable_span scratch;
  void *state;                 /* what `prepare` built; NULL without one */
  const et_parallel *parallel; /* NULL: this thread only */
  const et_observer *observer; /* NULL: nobody watches */
  /* Where et_fail puts the reason; may be NULL. */
  et_error *error;
  et_random *random; /* where random numbers are drawn; NULL: nowhere */
} et_kernel_context;

/* A kernel reads its operands from `args`, in the order of the operator's
 * `.out` schema with every default present, then the out operand(s), then the
 * return value(s), which repeat the outs.
 *
 * When a kernel is called, the count and kind of every argument fits its
 * signature, every tensor fits the row's rules and has memory, and no out
 * overlaps an operand (unless the operator writes in place): the method loader
 * has seen to that. Sizes, attributes, values and what tensors have to do with
 * each other are for the kernel to check, before it writes anything: it returns
 * et_fail(context->error, INVALID_ARGUMENT, ...). It sets its outs' sizes with
 * et_tensor_resize. */
typedef et_status (*et_kernel_fn)(et_kernel_context *context, et_value **args);

/* What a kernel may use when a call of it is prepared. */
typedef struct et_prepare_context {
  et_arena *arena;      /* the state is taken from it; it lives as long as the
                         * method. Allocations give NULL when measuring. */
  size_t scratch_bytes; /* in: et_kernel.scratch_bytes; out: what this call
                         * needs */
  const et_parallel *parallel; /* NULL: this thread only */
  et_error *error;             /* may be NULL */
} et_prepare_context;

/* Prepares one call of a kernel when its method is loaded: chooses a loop, packs
 * weights, says how much scratch this call needs. Sets *out_state to what `run`
 * is to find in its context; it is NULL before.
 *
 * Called several times, with arenas that measure and at last with a real one, each
 * time with the same arguments; it must always take the same bytes and ask for the
 * same scratch. Tensors have their upper-bound sizes, and data only where they are
 * constants of the program; numbers have the value that the program starts with.
 * Arguments are borrowed for this call, constants' data as long as the program. */
typedef et_status (*et_kernel_prepare_fn)(et_prepare_context *context,
                                          et_value *const *args,
                                          void **out_state);

/* The order in which a tensor's dimensions may lie. */
typedef enum et_layout_rule {
  ET_LAYOUT_ANY = 0,
  ET_LAYOUT_CONTIGUOUS = 1,    /* 0, 1, 2, ... */
  ET_LAYOUT_CHANNELS_LAST = 2, /* 0, 2, 3, ..., 1: three dimensions or more */
} et_layout_rule;

/* Groups of arguments are numbered below this; 0 is none. */
#define ET_TENSOR_GROUPS 8

/* What a kernel takes for one argument that is a tensor or a list of them. */
typedef struct et_tensor_rule {
  uint32_t dtypes;  /* 1u << et_scalar_type of each */
  uint8_t rank_low; /* of those that are allowed */
  uint8_t rank_high;
  uint8_t layout; /* et_layout_rule */
  uint8_t group;  /* all tensors of a group have one dtype; 0: of none */
} et_tensor_rule;

/* One row of a kernel table. All pointers are static.
 *
 * `rules` has one for each tensor argument (t w m T W O) of the signature before
 * '>', in order; NULL lets every tensor pass. They are verified when a method is
 * loaded, so that `run` never sees a tensor that they refuse.
 *
 * `signature` has one code an argument of the schema in schema/operators.toml, in
 * its order, optionally preceded by '?' (None is allowed); then '>' and one code
 * for each value that a call lists after them, its return values:
 *   t Tensor   w out Tensor (written)   m Tensor written in part: read, then written
 *   i int, SymInt, dtype, layout, ...
 *   b bool     d float                  n Scalar: int, bool or float
 *   s str      I int[]    D float[]     B bool[]
 *   T Tensor[] W out Tensor[]           O Tensor?[]
 *   x int, bool or float that the call writes (only after '>')
 * After '>' stands `w` where the one tensor written is repeated (every `.out` with
 * one out, every in-place operator) or a prim operator without outs leaves one, `W`
 * where a list repeats two or more outs or the one out Tensor[], `x` where a prim
 * operator leaves a number; and no '>' where nothing is listed. Examples:
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

/* Rows sorted by name (strcmp). Several may have one name, and then have one
 * signature: a call is run by the first of them whose rules it fits. */
typedef struct et_kernel_table {
  const et_kernel *kernels;
  size_t count;
} et_kernel_table;

/* The first row of that name, which has no NUL inside, or NULL. O(log count). */
const et_kernel *et_kernel_table_find(const et_kernel_table *table,
                                      et_string name);

/* The row behind `kernel`, if it has the same name; else NULL. */
const et_kernel *et_kernel_table_next(const et_kernel_table *table,
                                      const et_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_KERNEL_H_ */
