/* Rules. There is one function per kind of node, which infers the output's sizes and emits ops. */
#ifndef BACKENDS_XNNPACK_RUNTIME_RULES_H_
#define BACKENDS_XNNPACK_RUNTIME_RULES_H_

#include "backends/xnnpack/runtime/builder.h"
#include "backends/xnnpack/runtime/schema.h"

typedef void et_xnn_rule(et_xnn_builder *b);

/* Infers the output's sizes from the inputs' sizes and emits the ops of the node. */
et_xnn_rule et_xnn_unary; /* elementwise.c */
et_xnn_rule et_xnn_binary;
et_xnn_rule et_xnn_softmax;
et_xnn_rule et_xnn_convert;   /* conversion.c */
et_xnn_rule et_xnn_transpose; /* moves.c */
et_xnn_rule et_xnn_reshape;
et_xnn_rule et_xnn_copy;
et_xnn_rule et_xnn_slice;
et_xnn_rule et_xnn_pad;
et_xnn_rule et_xnn_concatenate;
et_xnn_rule et_xnn_fully_connected; /* products.c */
et_xnn_rule et_xnn_matrix_product;
et_xnn_rule et_xnn_convolution; /* convolutions.c */
et_xnn_rule et_xnn_depthwise;
et_xnn_rule et_xnn_transposed_convolution;
et_xnn_rule et_xnn_row_tiles; /* row_tiling.c */
et_xnn_rule et_xnn_pool;      /* images.c */
et_xnn_rule et_xnn_global_pool;
et_xnn_rule et_xnn_argmax_pool;
et_xnn_rule et_xnn_resize;

/* Runs the rule of the group. Returns the first failure. */
et_status et_xnn_apply(et_xnn_builder *b, const et_xnn_group *group);

#endif /* BACKENDS_XNNPACK_RUNTIME_RULES_H_ */
