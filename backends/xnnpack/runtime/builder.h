/* Builds ops from groups of nodes. The rule of each group runs in three modes: COUNT (before memory
 * is allocated), BUILD, and RESIZE (for a call). It must emit the same tensors and ops in the same
 * order each time (builder.c). */
#ifndef BACKENDS_XNNPACK_RUNTIME_BUILDER_H_
#define BACKENDS_XNNPACK_RUNTIME_BUILDER_H_

#include "backends/cpu/schema/records.h"
#include "backends/xnnpack/runtime/group.h"
#include "backends/xnnpack/runtime/handle.h"

typedef enum et_xnn_mode {
  ET_XNN_COUNT,  /* declared sizes; no handle */
  ET_XNN_BUILD,  /* sizes inferred from the inputs' upper bounds */
  ET_XNN_RESIZE, /* sizes inferred from the inputs of a call */
} et_xnn_mode;

typedef struct et_xnn_builder {
  et_xnn_mode mode;
  et_xnn_options options;
  const et_xnn_graph *graph;
  et_xnn_handle *handle;             /* NULL in mode COUNT */
  const et_backend_context *context; /* NULL in mode RESIZE */
  et_error *error;
  const et_xnn_group *group; /* group whose rule runs */
  const et_xnn_node *node;   /* its node */
  et_xnn_uses uses;
  et_xnn_counts used;
  /* bytes of scratch used so far by the node's own tensors */
  size_t own_scratch;
  et_status status; /* first failure; rules continue but emit nothing */
} et_xnn_builder;

/* Maximum number of per-thread workspaces of an op. */
#define ET_XNN_THREADS 4

/* Index of a tensor in the handle. The tensors of graph values come first; their index is the
 * id. */
typedef uint32_t et_xnn_tensor;

/* Records the node's failure, DELEGATE_INCOMPATIBLE. Later failures are ignored. */
void et_xnn_reject(et_xnn_builder *b, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Records a failure and returns from the calling function unless `condition` holds. */
#define ET_XNN_REQUIRE(b, condition, ...) \
  do {                                    \
    if (!(condition)) {                   \
      et_xnn_reject(b, __VA_ARGS__);      \
      return;                             \
    }                                     \
  } while (0)

/* Returns an input or output of the node. */
et_xnn_value et_xnn_input(const et_xnn_builder *b, uint8_t index);
et_xnn_value et_xnn_output(const et_xnn_builder *b, uint8_t index);

/* Returns the sizes of value `id`: declared sizes in mode COUNT, inferred sizes otherwise. */
et_xnn_dims et_xnn_dims_of(const et_xnn_builder *b, uint32_t id);

/* Sets the sizes of output `index` of the node. Fails if they exceed the declared size in bytes.
 * Does nothing in mode COUNT. */
void et_xnn_infer(et_xnn_builder *b, uint8_t index, const et_xnn_dims *dims);

/* Returns the tensor of value `id`. Sets the data of constants that ops read in place. */
et_xnn_tensor et_xnn_tensor_of(et_xnn_builder *b, uint32_t id);

/* Adds a tensor that aliases `tensor` with different sizes. The number of elements must be the same. */
et_xnn_tensor et_xnn_view(et_xnn_builder *b, et_xnn_tensor tensor,
                          const et_xnn_dims *dims);

/* Adds a tensor in scratch that only the node's own ops use. */
et_xnn_tensor et_xnn_add_scratch(et_xnn_builder *b, et_scalar_type dtype,
                                 const et_xnn_dims *dims);

/* Returns an input as float32. If it has a different datatype, adds a conversion to scratch. */
et_xnn_tensor et_xnn_floats_of(et_xnn_builder *b, uint32_t id);

/* Emits the conversion of value `id` to float32, into tensor `to`. */
void et_xnn_read_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor to);

/* et_xnn_floats_for() returns the float32 tensor that the node's op writes for value `id`. It is
 * the value's own tensor, or one in scratch if the value has a different datatype. In this case,
 * et_xnn_put_floats() converts that tensor to the value's datatype. */
et_xnn_tensor et_xnn_floats_for(et_xnn_builder *b, uint32_t id);
void et_xnn_put_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor floats);

/* Writes the packed form of a constant to `bytes`. `request` is the rule's data. */
typedef et_status et_xnn_fill(et_xnn_builder *b, const void *request,
                              void *bytes);

/* A packed constant made from value `id`. If `share` is set, methods share the constant through the
 * store. The text distinguishes the packed forms of one constant. */
typedef struct et_xnn_packing {
  et_scalar_type dtype;
  et_xnn_dims dims;
  et_xnn_fill *fill;
  const void *request;
  uint32_t id;
  const char *share; /* or NULL */
} et_xnn_packing;

et_xnn_tensor et_xnn_pack(et_xnn_builder *b, const et_xnn_packing *packing);

#define ET_XNN_NAME_BYTES 404

/* Writes the name of a packed constant in the shared store to `text`, and returns it. `key` is the
 * key of the constant. The name has the shapes of the packed form and of `value`, because equal
 * bytes of other shapes are packed differently. Returns an empty string if the constant is not
 * shared. */
et_string et_xnn_shared_name(const et_xnn_value *value, et_string key,
                             const et_xnn_packing *packing,
                             char text[ET_XNN_NAME_BYTES]);

/* An op. Unused members are zero or NULL. */
typedef struct et_xnn_emission {
  const et_backend_part *part;
  const et_xnn_tensor *inputs;
  uint16_t input_count;
  et_xnn_tensor output;
  et_xnn_tensor second_output; /* if output_count is 2 */
  uint16_t output_count;       /* 0 means 1 */
  et_xnn_tensor workspace;     /* if workspace_count is 1 */
  uint16_t workspace_count;
  const int32_t *dims;
  uint16_t dim_count;
  const uint32_t *words;
  uint16_t word_count;
} et_xnn_emission;

void et_xnn_emit(et_xnn_builder *b, const et_xnn_emission *emission);

/* Returns the quantization of `value`, an int8 or uint8 input. */
et_cpu_quant_params et_xnn_quant_params(const et_xnn_value *value);

/* Returns the quantization of `value`, an int8 or uint8 output, including the node's bounds. */
et_cpu_output_quantization et_xnn_output_quantization(
    const et_xnn_builder *b, const et_xnn_value *value);

/* Quantizes `number` like `value`, clamped to the node's bounds. */
int32_t et_xnn_quantized(const et_xnn_builder *b, const et_xnn_value *value,
                         float number);

/* Adds a workspace [threads, floats] in scratch. The number of threads is 2 to ET_XNN_THREADS,
 * depending on the size. */
et_xnn_tensor et_xnn_workspaces(et_xnn_builder *b, size_t floats);

/* Appends the node's residual, if it has one, to the `count` inputs of its op. Returns the number
 * of inputs. */
uint16_t et_xnn_add_residual(et_xnn_builder *b, et_xnn_tensor *inputs,
                             uint16_t count);

/* Returns the bit pattern of a float. */
uint32_t et_xnn_bits(float number);

/* Assigns scratch memory to the values of the graph and runs the rules of all groups. */

/* Runs the rules of all groups, in the mode of `b`. */
et_status et_xnn_apply_all(et_xnn_builder *b);

/* Assigns offsets in scratch, such that values that are alive at the same time do not overlap. Sets
 * *out_bytes to the size of scratch. Writes offsets to the slots and scratch_offsets of `handle`
 * unless it is NULL. `counting` is a builder in mode COUNT. Nodes are visited from last to first,
 * so that only live values are stored, in a fixed array. */
et_status et_xnn_plan(et_xnn_builder *counting, et_xnn_handle *handle,
                      size_t *out_bytes);

#endif /* BACKENDS_XNNPACK_RUNTIME_BUILDER_H_ */
