/* Builds a method. The same code first measures it. */
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
#include "runtime/program/reading.h"
#include "runtime/program/tensor_record.h"

/* The regions of method_layout.h; NULL while measuring. */
typedef struct et_regions {
  et_method *method;
  et_value *values;
  et_tensor *tensors;
  et_value **list_items;
  et_instruction *instructions;
  et_value **args;
  et_delegate *delegates;
  et_compile_spec *specs;
  et_io_slot *io_slots;
  int32_t *dims;
  /* Workspace of the memory plan check. States and handles reuse its memory
   * afterwards. */
  uintptr_t *edges;
  uint32_t *owners;
  uint32_t *origins;
} et_regions;

/* The most used fields come first, because small offsets make instructions
 * shorter. */
typedef struct et_builder {
  et_error *error;
  const et_program *program;
  const et_registry *registry;
  const et_method_options *options; /* may be NULL */
  const et_method_memory *memory;   /* NULL in et_method_measure */
  et_regions regions;
  et_arena arena;
  et_fb_vector values; /* EValues of the plan */
  et_fb_table plan;
  et_counts counts;
  et_data data;
} et_builder;

/* Allocates all regions, then releases those of the memory plan check. They
 * stay valid until the next allocation. *out_bytes is the size of all
 * regions. */
et_status et_build_reserve(et_builder *builder, size_t *out_bytes);

/* Checks the size and alignment of a caller-provided buffer: one of `memory`,
 * or options.data. */
et_status et_build_check_buffer(const et_builder *builder,
                                const et_mutable_span *buffer, size_t needed);

/* Checks that kernels and backends are linked, and that each call matches the
 * signature and the rules of a kernel. Needs no memory. */
et_status et_build_resolve(const et_builder *builder);

/* Returns the kernel for a call: the operator's first row that accepts the
 * arguments. NULL if the instruction is not a kernel call. */
const et_kernel *et_build_called_kernel(const et_builder *builder,
                                        const et_walk *walk);

/* Returns the first kernel row of operator `index`, or NULL. */
const et_kernel *et_build_find_kernel(const et_builder *builder,
                                      uint32_t index);

/* Fill the regions.
 *
 * After that, tensors that are neither planned nor constant have no memory.
 * INVALID_PROGRAM: a delegate call has fewer arguments than outputs, or an
 * output that is not a tensor. */
et_status et_build_values(et_builder *builder);
et_status et_build_instructions(et_builder *builder);

/* Fills inputs and outputs, and binds views without memory of their own to
 * their bases. Rejects tensors that still have no memory. */
et_status et_build_io(et_builder *builder);

/* Zeroes planned memory and sets mutable buffers to their initial values,
 * except those shared with methods that are already loaded. */
et_status et_build_state(const et_builder *builder);

/* Resets INT, BOOL and DOUBLE values to the values in the program. */
void et_build_scalars(et_fb_vector values, et_value *out_values);

/* Allocates memory for a state or handle, in multiples of ET_MEMORY_ALIGNMENT,
 * and aligned like the method's memory. Returns false if it does not fit. */
bool et_build_take_memory(et_builder *builder, size_t bytes,
                          et_arena *out_arena);

/* Prepares the calls of kernels with a `prepare`, or measures them, and raises
 * *scratch to the largest request. INVALID_ARGUMENT: a kernel has a `prepare`,
 * but the registry has no preparation. */
et_status et_build_calls(et_builder *builder, size_t *scratch);

/* Returns the size of data that is not in memory, including the list of its
 * ranges. */
et_status et_data_measure(const et_builder *builder, size_t *out_bytes);

/* Measures data that is not in memory, places it in memory.data (without
 * memory, in options.data), and reads the data that is always needed.
 * MEMORY_TOO_SMALL: that buffer is too small. */
et_status et_data_build(et_builder *builder, size_t *out_bytes);

/* Returns the `nbytes` of a tensor's constant or initial state, or NULL without
 * one. */
const uint8_t *et_data_initial(const et_program *program, const et_data *data,
                               const et_tensor_record *record);

#endif /* ET_RUNTIME_METHOD_BUILDER_H_ */
