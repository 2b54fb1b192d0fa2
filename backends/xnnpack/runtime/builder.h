/* Makes ops of nodes. The rules of nodes run three times over: to count, before
 * there is memory; to build; and for other sizes of arguments. They emit the same
 * tensors and ops each time, in the same order. */
#ifndef BACKENDS_XNNPACK_RUNTIME_BUILDER_H_
#define BACKENDS_XNNPACK_RUNTIME_BUILDER_H_

#include "backends/cpu/schema/records.h"
#include "backends/xnnpack/runtime/group.h"
#include "backends/xnnpack/runtime/handle.h"

typedef enum et_xnn_mode {
  ET_XNN_COUNT,  /* sizes are those that the payload declares; no handle */
  ET_XNN_BUILD,  /* sizes follow from those of the arguments, at their bounds */
  ET_XNN_RESIZE, /* from those of a call */
} et_xnn_mode;

typedef struct et_xnn_builder {
  et_xnn_mode mode;
  et_xnn_options options;
  const et_xnn_graph *graph;
  et_xnn_handle *handle;             /* NULL when counting */
  const et_backend_context *context; /* NULL when resizing */
  et_error *error;
  const et_xnn_group *group; /* whose rule runs */
  const et_xnn_node *node;   /* of it */
  et_xnn_uses uses;
  et_xnn_counts used;
  size_t room;      /* bytes of the node's own tensors up to here */
  et_status status; /* of the first failure: rules go on, and emit no more */
} et_xnn_builder;

/* Threads that may work at once on an op that needs memory for each. */
#define ET_XNN_THREADS 4

/* A tensor of the handle. */
typedef uint32_t et_xnn_tensor;

/* Notes a failure of the node's. */
void et_xnn_refuse(et_xnn_builder *b, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Notes it, and returns, unless `condition` holds. */
#define ET_XNN_REQUIRE(b, condition, ...) \
  do {                                    \
    if (!(condition)) {                   \
      et_xnn_refuse(b, __VA_ARGS__);      \
      return;                             \
    }                                     \
  } while (0)

/* The value of an input or output of the node. */
et_xnn_value et_xnn_input(const et_xnn_builder *b, uint8_t index);
et_xnn_value et_xnn_output(const et_xnn_builder *b, uint8_t index);

/* Sizes of value `id`: those declared when counting, else those inferred. */
et_xnn_dims et_xnn_dims_of(const et_xnn_builder *b, uint32_t id);

/* Says what sizes output `index` of the node has. Nothing when counting. */
void et_xnn_infer(et_xnn_builder *b, uint8_t index, const et_xnn_dims *dims);

/* The tensor of value `id` itself. */
et_xnn_tensor et_xnn_tensor_of(et_xnn_builder *b, uint32_t id);

/* The bytes of `tensor` with other sizes of as many elements. */
et_xnn_tensor et_xnn_view(et_xnn_builder *b, et_xnn_tensor tensor,
                          const et_xnn_dims *dims);

/* One of the node's own, in scratch. */
et_xnn_tensor et_xnn_own(et_xnn_builder *b, et_scalar_type dtype,
                         const et_xnn_dims *dims);

/* Numbers of an input as floats; where they are others, an op makes them such. */
et_xnn_tensor et_xnn_floats_of(et_xnn_builder *b, uint32_t id);

/* Makes floats of an input that has none, at `to`. */
void et_xnn_read_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor to);

/* Where floats are written that shall become value `id`, and what makes them it. */
et_xnn_tensor et_xnn_floats_for(et_xnn_builder *b, uint32_t id);
void et_xnn_put_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor floats);

/* Makes packed bytes of constants, with numbers of the rule's. */
typedef et_status et_xnn_fill(et_xnn_builder *b, const void *request,
                              void *bytes);

/* What is packed of constant value `id`. Those with a `share` are made once for all
 * methods: it tells them from others of the same constant. */
typedef struct et_xnn_packing {
  et_scalar_type dtype;
  et_xnn_dims dims;
  et_xnn_fill *fill;
  const void *request;
  uint32_t id;
  const char *share; /* or NULL */
} et_xnn_packing;

et_xnn_tensor et_xnn_pack(et_xnn_builder *b, const et_xnn_packing *packing);

/* An op. Zero and NULL is what it has none of. */
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

/* Returns the quantization of `value`, an int8 or uint8 output, with the node's bounds. */
et_cpu_output_quantization et_xnn_output_quantization(
    const et_xnn_builder *b, const et_xnn_value *value);

/* The byte of `value` nearest to `number`, within the node's bounds. */
int32_t et_xnn_byte_of(const et_xnn_builder *b, const et_xnn_value *value,
                       float number);

/* A workspace of so many floats for each of as many threads as are worth it, at
 * most ET_XNN_THREADS. */
et_xnn_tensor et_xnn_workspaces(et_xnn_builder *b, size_t floats);

/* Puts what the node's result is added to behind the `count` inputs of its op, if
 * there is such a value; returns how many inputs that makes. */
uint16_t et_xnn_add_residual(et_xnn_builder *b, et_xnn_tensor *inputs,
                             uint16_t count);

/* The bits of a float as an attribute. */
uint32_t et_xnn_bits(float number);

#endif /* BACKENDS_XNNPACK_RUNTIME_BUILDER_H_ */
