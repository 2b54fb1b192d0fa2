#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/reduce.h"
#include "kernels/engines/window.h"
#include "kernels/quantized/quantize.h"

/* `mean` is the mean of q - zero_point, in units of the output scale. */
static void store_mean(const et_quantization *q, double mean,
                       et_scalar_type dtype, uint8_t *out) {
  const int64_t code = et_float_to_int64(rint(mean)) + q->zero_point;
  const int64_t above = code < q->low ? q->low : code;
  const int64_t within = above > q->high ? q->high : above;
  et_store_run(ET_COMPUTE_INT64, &within, dtype, out, 0, 1);
}

/* Sets *out to scale 1, zero point `value` and the full range of `tensor`'s
 * dtype. */
static et_status read_quantized(et_kernel_context *context, const char *what,
                                const et_tensor *tensor, const et_value *value,
                                et_quantization *out) {
  const bool is_signed = tensor->dtype == ET_SCALAR_TYPE_INT8;
  return et_quantization_make(
      context, what, 1.0, value->u.as_int, is_signed ? INT8_MIN : 0,
      is_signed ? INT8_MAX : UINT8_MAX, tensor->dtype, out);
}

static void mean_of(const et_reduction *r, et_loop *elements,
                    uint8_t *const *outs, const void *state) {
  const et_quantization *q = state;
  const double sum = et_sum_elements(*elements, r->reduced.dtype,
                                     (double)q->zero_point, false);
  store_mean(q, sum / (double)r->count, r->outs[0].dtype, outs[0]);
}

et_status et_op_quantized_bytes_mean_out(et_kernel_context *context,
                                         et_value **args) {
  static const char what[] = "int8 mean";
  const et_tensor *input = args[0]->u.as_tensor;
  et_reduction reduction;
  et_quantization q;
  ET_RETURN_IF_ERROR(read_quantized(context, what, input, args[3], &q));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, what, input, args[1],
                                       args[2]->u.as_bool, args[4]->u.as_tensor,
                                       NULL, &reduction));
  ET_RETURN_IF_ERROR(et_reduction_has_elements(context, what, &reduction));
  et_reduction_run(&reduction, mean_of, &q);
  return ET_STATUS_OK;
}

static void pool_all(const et_window *w, const et_quantization *q,
                     bool include_pad, int64_t divisor) {
  et_position o = {0};
  do {
    const et_box box = et_window_box(w, &o);
    const double zeros = (double)q->zero_point * (double)et_box_count(&box);
    const double sum = et_window_sum(&w->in, &o, &box) - zeros;
    store_mean(q, sum / et_window_divisor(w, &o, &box, include_pad, divisor),
               w->out.dtype, et_window_at(&w->out, &o));
  } while (et_window_next(&w->out, &o));
}

et_status et_op_quantized_bytes_avg_pool2d_out(et_kernel_context *context,
                                               et_value **args) {
  static const char what[] = "int8 avg_pool2d";
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[8]->u.as_tensor;
  const et_window_arguments arguments = {
      what, 2, args[1], args[2], args[3], NULL, args[4]->u.as_bool};
  const int64_t divisor = et_arg_int_or(args[6], 0);
  et_window window;
  et_quantization q;
  ET_CHECK(context, et_arg_is_none(args[6]) || divisor != 0,
           "%s: divisor_override is 0; pass another value", what);
  ET_RETURN_IF_ERROR(read_quantized(context, what, input, args[7], &q));
  ET_RETURN_IF_ERROR(et_window_plan(context, &arguments, input, out, &window));
  if (out->numel > 0) {
    pool_all(&window, &q, args[5]->u.as_bool, divisor);
  }
  return ET_STATUS_OK;
}
