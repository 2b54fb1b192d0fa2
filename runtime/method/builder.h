/* Building a method: the same steps measure it and build it. */
#ifndef ET_RUNTIME_METHOD_BUILDER_H_
#define ET_RUNTIME_METHOD_BUILDER_H_

#include <stdbool.h>
#include <stddef.h>

#include "executorch/arena.h"
#include "executorch/backend.h"
#include "executorch/method.h"
#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "runtime/method/walk.h"
#include "runtime/program/flatbuffer.h"

/* The regions of method_layout.h, or NULL while measuring. */
typedef struct et_regions {
  et_method *method;
  et_value *values;
  et_tensor *tensors;
  et_value **list_items;
  et_instruction *instructions;
  et_value **args;
  et_delegate *delegates;
  et_compile_spec *specs;
  et_end *ends;
  int32_t *dims;
  /* Of the check of the memory plan; what is kept of calls and delegates takes its place
   * afterwards. */
  uintptr_t *edges;
  uint32_t *owners;
  uint32_t *origins;
} et_regions;

/* What is used most comes first: machines address that in fewer bytes. */
typedef struct et_builder {
  et_error *error;
  const et_program *program;
  const et_registry *registry;
  const et_method_options *options; /* or NULL */
  const et_method_memory *memory;   /* NULL in et_method_measure */
  et_regions regions;
  et_arena arena;
  et_fb_vector values; /* EValues of the plan */
  et_fb_table plan;
  et_counts counts;
  et_data data;
} et_builder;

/* Takes all regions from the arena, and gives those of the check of the memory plan back,
 * which stay as they are until more is taken. *out_bytes is what all of them take. */
et_status et_build_reserve(et_builder *builder, size_t *out_bytes);

/* Checks the size of a buffer that the caller gives, one of `memory` or else that of the
 * options, and its alignment. */
et_status et_build_check_buffer(const et_builder *builder,
                                const et_mutable_span *buffer, size_t needed);

/* Checks that what the plan needs is linked and that each call fits the signature
 * and the rules of a kernel. Needs no memory. */
et_status et_build_resolve(const et_builder *builder);

/* The kernel that an instruction calls, of those for its operator the first that
 * takes the arguments; NULL when it calls none. */
const et_kernel *et_build_called_kernel(const et_builder *builder,
                                        const et_walk *walk);

/* The first kernel of operator `index` of the plan, or NULL. */
const et_kernel *et_build_find_kernel(const et_builder *builder,
                                      uint32_t index);

/* Fill the regions. A tensor that is neither planned nor constant has no memory
 * then. INVALID_PROGRAM for a delegate call with fewer arguments than outputs, or
 * with an output that is no tensor. */
et_status et_build_values(et_builder *builder);
et_status et_build_instructions(et_builder *builder);

/* Fills inputs and outputs, gives the views that have no memory of their own
 * that of their base, and refuses what is then left without memory. */
et_status et_build_ends(et_builder *builder);

/* Sets planned bytes to zero and gives mutable buffers their initial values, but
 * where methods that were loaded before share them. */
et_status et_build_state(const et_builder *builder);

/* Writes back into INT, BOOL and DOUBLE values what the program says. */
void et_build_scalars(et_fb_vector values, et_value *out_values);

/* A vector of a loaded method's plan. */
et_fb_vector et_method_vector(const et_method *method, uint16_t field);

/* Takes room for what a call or a delegate keeps, in whole units of
 * ET_MEMORY_ALIGNMENT, so that it may be aligned as the method's memory is. False
 * when it does not fit. */
bool et_build_take_room(et_builder *builder, size_t bytes, et_arena *out_room);

/* Prepares the calls of kernels that want it, their states in the arena, or
 * measures them; raises *scratch to the largest that a call needs. INVALID_ARGUMENT
 * when a kernel has a `prepare` and the registry no preparation. */
et_status et_build_calls(et_builder *builder, size_t *scratch);

#endif /* ET_RUNTIME_METHOD_BUILDER_H_ */
