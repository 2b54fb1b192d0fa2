/* Builds ops from groups of nodes. The rule of a group runs in one of three modes: COUNT, before
 * memory is allocated; BUILD; and RESIZE, for a call with new input sizes. In all modes, a rule
 * must emit the same tensors and ops in the same order (builder.c). */
#ifndef BACKENDS_XNNPACK_RUNTIME_BUILDER_H_
#define BACKENDS_XNNPACK_RUNTIME_BUILDER_H_

#include "backends/cpu/schema/records.h"
#include "backends/xnnpack/runtime/group.h"
#include "backends/xnnpack/runtime/handle.h"

typedef enum et_xnn_mode {
  ET_XNN_COUNT,  /* uses declared sizes, without a handle */
  ET_XNN_BUILD,  /* infers sizes from the upper bounds of the inputs */
  ET_XNN_RESIZE, /* infers sizes from the inputs of a call */
} et_xnn_mode;

typedef struct et_xnn_builder {
  et_xnn_mode mode;
  et_xnn_options options;
  const et_xnn_graph *graph;
  et_xnn_handle *handle;             /* NULL in mode COUNT */
  const et_backend_context *context; /* NULL in mode RESIZE */
  et_error *error;
  const et_xnn_group *group; /* group whose rule is running */
  const et_xnn_node *node;   /* the group's node */
  et_xnn_uses uses;
  et_xnn_counts used;
  /* Bytes of scratch that the node's own tensors have used so far. */
  size_t own_scratch;
  /* The first failure. After it, rules continue but emit nothing. */
  et_status status;
} et_xnn_builder;

/* Maximum number of per-thread workspaces of an op. */
#define ET_XNN_THREADS 4

/* Index of a tensor in the handle. Graph values come first, so value `id` is tensor `id`. */
typedef uint32_t et_xnn_tensor;

/* Records a DELEGATE_INCOMPATIBLE failure of the node. Later failures are ignored. */
void et_xnn_reject(et_xnn_builder *b, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Unless `condition` holds, records a failure and returns from the calling function. */
#define ET_XNN_REQUIRE(b, condition, ...) \
  do {                                    \
    if (!(condition)) {                   \
      et_xnn_reject(b, __VA_ARGS__);      \
      return;                             \
    }                                     \
  } while (0)

/* Return input or output `index` of the node. */
et_xnn_value et_xnn_input(const et_xnn_builder *b, uint8_t index);
et_xnn_value et_xnn_output(const et_xnn_builder *b, uint8_t index);

/* Returns the sizes of value `id`: declared sizes in mode COUNT, inferred sizes otherwise. */
et_xnn_dims et_xnn_dims_of(const et_xnn_builder *b, uint32_t id);

/* Sets the sizes of output `index` of the node. Fails if the output then needs more bytes than
 * declared. Does nothing in mode COUNT. */
void et_xnn_infer(et_xnn_builder *b, uint8_t index, const et_xnn_dims *dims);

/* Returns the tensor of value `id`. If the value is a constant, sets the tensor's data, so that ops
 * read the constant in place. */
et_xnn_tensor et_xnn_tensor_of(et_xnn_builder *b, uint32_t id);

/* Adds a tensor that aliases `tensor` with different sizes. The number of elements must be the
 * same. */
et_xnn_tensor et_xnn_view(et_xnn_builder *b, et_xnn_tensor tensor,
                          const et_xnn_dims *dims);

/* Adds a tensor in scratch that only the node's own ops use. */
et_xnn_tensor et_xnn_add_scratch(et_xnn_builder *b, et_scalar_type dtype,
                                 const et_xnn_dims *dims);

/* Returns value `id` as float32. If it has a different datatype, emits a conversion to scratch. */
et_xnn_tensor et_xnn_floats_of(et_xnn_builder *b, uint32_t id);

/* Emits an op that converts value `id` to float32 and writes it to tensor `to`. */
void et_xnn_read_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor to);

/* et_xnn_floats_for() returns the float32 tensor that the node's op must write for output `id`. If
 * the output is float32, it is the output's own tensor. Otherwise, it is a tensor in scratch, and
 * et_xnn_put_floats() emits its conversion to the output's datatype. */
et_xnn_tensor et_xnn_floats_for(et_xnn_builder *b, uint32_t id);
void et_xnn_put_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor floats);

/* Writes the packed form of a constant to `bytes`. `request` is a pointer from the rule. */
typedef et_status et_xnn_fill(et_xnn_builder *b, const void *request,
                              void *bytes);

/* A packed constant made from value `id`. If `share` is not NULL, methods share the constant
 * through the store. `share` distinguishes the packed forms of one constant. */
typedef struct et_xnn_packing {
  et_scalar_type dtype;
  et_xnn_dims dims;
  et_xnn_fill *fill;
  const void *request;
  uint32_t id;
  const char *share; /* or NULL */
} et_xnn_packing;

/* Adds a tensor with the packed constant. Packs the constant in mode BUILD. */
et_xnn_tensor et_xnn_pack(et_xnn_builder *b, const et_xnn_packing *packing);

#define ET_XNN_NAME_BYTES 404

/* Returns the name of a packed constant in the shared store, or an empty string if the constant is
 * not shared. `key` is the key of the constant in the named data. The name includes the shapes of
 * `value` and of the packed form, because equal bytes with other shapes are packed differently. The
 * name is written to `text`. */
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

/* Adds an op to the handle. In mode COUNT, only counts the op. */
void et_xnn_emit(et_xnn_builder *b, const et_xnn_emission *emission);

/* Returns the quantization of `value`, an int8 or uint8 input. */
et_cpu_quant_params et_xnn_quant_params(const et_xnn_value *value);

/* Returns the quantization of `value`, an int8 or uint8 output, with the node's bounds. */
et_cpu_output_quantization et_xnn_output_quantization(
    const et_xnn_builder *b, const et_xnn_value *value);

/* Clamps `number` to the node's bounds and quantizes it with the parameters of `value`. */
int32_t et_xnn_quantized(const et_xnn_builder *b, const et_xnn_value *value,
                         float number);

/* Adds a workspace [threads, floats] in scratch. The number of threads is between 2 and
 * ET_XNN_THREADS, and depends on the size. */
et_xnn_tensor et_xnn_workspaces(et_xnn_builder *b, size_t floats);

/* If the node has a residual, appends it to the `count` inputs of its op. Returns the new number of
 * inputs. */
uint16_t et_xnn_add_residual(et_xnn_builder *b, et_xnn_tensor *inputs,
                             uint16_t count);

/* Returns the bit pattern of a float. */
uint32_t et_xnn_bits(float number);

/* Runs the rules of all groups, in the mode of `b`. */
et_status et_xnn_apply_all(et_xnn_builder *b);

/* Assigns offsets in scratch to values. Values that are live at the same time do not overlap. Sets
 * *out_bytes to the size of scratch. If `handle` is not NULL, writes the offsets to its slots and
 * scratch_offsets. `counting` is a builder in mode COUNT. Nodes are visited from last to first, so
 * that a fixed array can hold all live values. */
et_status et_xnn_plan(et_xnn_builder *counting, et_xnn_handle *handle,
                      size_t *out_bytes);

#endif /* BACKENDS_XNNPACK_RUNTIME_BUILDER_H_ */
