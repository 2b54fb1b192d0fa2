#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/int8_arguments.h"

/* Binary operation. */
typedef enum binary_op { ADD, MUL, MAXIMUM, MINIMUM } binary_op;

typedef struct operand {
  et_int8_params params;
  float factor; /* operand scale / result scale */
} operand;

typedef struct binary {
  const char *what;
  binary_op op;
  operand a;
  operand b;
  et_int8_range range;
} binary;

static inline float combine(binary_op op, float a, float b) {
  switch (op) {
    case ADD:
      return a + b;
    case MUL:
      return a * b;
    case MAXIMUM:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

/* `op` is a constant at each call, so that the loop vectorizes. */
static inline void combine_run(binary_op op, const binary *p, const int16_t *a,
                               const int16_t *b, size_t count, uint8_t *out) {
  const et_int8_range range = p->range;
  const float a_factor = p->a.factor;
  const float b_factor = p->b.factor;
  for (size_t i = 0; i < count; i++) {
    out[i] = et_int8_quantize(
        combine(op, (float)a[i] * a_factor, (float)b[i] * b_factor), &range);
  }
}

static void combine_chunk(const binary *p, const int16_t *a, const int16_t *b,
                          size_t count, uint8_t *out) {
  switch (p->op) {
    case ADD:
      combine_run(ADD, p, a, b, count, out);
      break;
    case MUL:
      combine_run(MUL, p, a, b, count, out);
      break;
    case MAXIMUM:
      combine_run(MAXIMUM, p, a, b, count, out);
      break;
    default:
      combine_run(MINIMUM, p, a, b, count, out);
  }
}

/* Processes one run of the loop over out, a and b. */
static void run_line(const binary *p, const et_loop *loop) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    int16_t a[ET_CHUNK];
    int16_t b[ET_CHUNK];
    uint8_t quantized[ET_CHUNK];
    const ptrdiff_t at = (ptrdiff_t)start;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_int8_center_all(p->a.params, loop->at[1] + at * loop->strides[1],
                       loop->strides[1], n, a);
    et_int8_center_all(p->b.params, loop->at[2] + at * loop->strides[2],
                       loop->strides[2], n, b);
    combine_chunk(p, a, b, n, quantized);
    for (size_t i = 0; i < n; i++) {
      loop->at[0][(at + (ptrdiff_t)i) * loop->strides[0]] = quantized[i];
    }
  }
}

/* Reads a tensor, its zero point and its factor. */
static et_status read_operand(et_kernel_context *context, const char *what,
                              et_value *const *args, operand *out) {
  out->factor = (float)args[2]->u.as_double;
  return et_int8_read_params(context, what, args[0]->u.as_tensor, args[1],
                             &out->params);
}

static et_status run_binary(et_kernel_context *context, et_value **args,
                            binary p) {
  et_tensor *out = args[9]->u.as_tensor;
  et_tensor *operands[2] = {args[0]->u.as_tensor, args[3]->u.as_tensor};
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  et_view views[3];
  ET_RETURN_IF_ERROR(read_operand(context, p.what, &args[0], &p.a));
  ET_RETURN_IF_ERROR(read_operand(context, p.what, &args[3], &p.b));
  ET_RETURN_IF_ERROR(
      et_int8_read_range(context, p.what, out, &args[6], &p.range));
  ET_RETURN_IF_ERROR(
      et_shape_broadcast(context, p.what, operands, 2, sizes, &rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  views[0] = et_view_of(out);
  for (size_t i = 0; i < 2; i++) {
    const et_view view = et_view_of(operands[i]);
    et_view_expand(&view, sizes, rank, &views[1 + i]);
  }
  for (et_loop loop = et_loop_over(views, 3); loop.count > 0;
       et_loop_next(&loop)) {
    run_line(&p, &loop);
  }
  return ET_STATUS_OK;
}

et_status et_op_quantized_bytes_add_out(et_kernel_context *context,
                                        et_value **args) {
  return run_binary(context, args, (binary){.what = "int8 add", .op = ADD});
}

et_status et_op_quantized_bytes_mul_out(et_kernel_context *context,
                                        et_value **args) {
  return run_binary(context, args, (binary){.what = "int8 mul", .op = MUL});
}

et_status et_op_quantized_bytes_maximum_out(et_kernel_context *context,
                                            et_value **args) {
  return run_binary(context, args,
                    (binary){.what = "int8 maximum", .op = MAXIMUM});
}

et_status et_op_quantized_bytes_minimum_out(et_kernel_context *context,
                                            et_value **args) {
  return run_binary(context, args,
                    (binary){.what = "int8 minimum", .op = MINIMUM});
}
