#include "backends/xnnpack/runtime/rules.h"
#include "backends/xnnpack/runtime/steps.h"

extern const et_backend_part et_cpu_step_permute;

/* Rows that a product reads are made bytes there. */
static void copy_rows(et_xnn_builder *b, const et_xnn_dims *dims) {
  uint32_t order[ET_XNN_MOST_DIMS];
  for (uint32_t i = 0; i < ET_XNN_MOST_DIMS; i++) {
    order[i] = i;
  }
  const et_xnn_tensor x = et_xnn_tensor_of(b, b->node->inputs[0]);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_step_permute,
                            .inputs = &x,
                            .input_count = 1,
                            .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                            .words = order,
                            .word_count = dims->rank});
}

static void round_rows(et_xnn_builder *b, uint32_t row_dims, bool is_half) {
  const et_xnn_tensor x = et_xnn_floats_of(b, b->node->inputs[0]);
  const uint32_t words[] = {row_dims, is_half};
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_xnn_step_round_rows,
                            .inputs = &x,
                            .input_count = 1,
                            .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                            .words = words,
                            .word_count = 2});
}

static void make_rows(et_xnn_builder *b, const et_xnn_value *x,
                      const et_xnn_value *y, const et_xnn_dims *dims) {
  const uint32_t row_dims = y->quantization.row_dims;
  if (x->datatype == ET_XNN_FP32 && row_dims == 1) {
    copy_rows(b, dims);
  } else {
    round_rows(b, row_dims, x->datatype == ET_XNN_FP16);
  }
}

void et_xnn_convert(et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[0]);
  if (et_xnn_same_quantization(&x, &y)) {
    et_xnn_copy(b);
    return;
  }
  et_xnn_infer(b, 0, &dims);
  if (y.datatype == ET_XNN_QDINT8) {
    make_rows(b, &x, &y, &dims);
  } else if (y.datatype == ET_XNN_FP32) {
    et_xnn_read_floats(b, b->node->inputs[0],
                       et_xnn_tensor_of(b, b->node->outputs[0]));
  } else {
    et_xnn_put_floats(b, b->node->outputs[0],
                      et_xnn_floats_of(b, b->node->inputs[0]));
  }
}
