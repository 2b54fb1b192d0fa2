#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/complex.h"

typedef et_complex128 (*formula)(et_complex128 a, et_complex128 b);

static et_complex128 sum(et_complex128 a, et_complex128 b) {
  const et_complex128 result = {a.real + b.real, a.imaginary + b.imaginary};
  return result;
}

static et_complex128 product(et_complex128 a, et_complex128 b) {
  const et_complex128 result = {a.real * b.real - a.imaginary * b.imaginary,
                                a.real * b.imaginary + a.imaginary * b.real};
  return result;
}

/* Computed in double, so that squares of complex64 parts cannot overflow. For
 * complex128, they can overflow even if the quotient does not. */
static et_complex128 quotient(et_complex128 a, et_complex128 b) {
  const double square = b.real * b.real + b.imaginary * b.imaginary;
  const et_complex128 turned = {b.real, -b.imaginary};
  et_complex128 result = product(a, turned);
  result.real /= square;
  result.imaginary /= square;
  return result;
}

static void apply(formula compute, double factor, et_scalar_type dtype,
                  const et_loop *loop) {
  for (size_t i = 0; i < loop->count; i++) {
    const ptrdiff_t at = (ptrdiff_t)i;
    const et_complex128 a =
        et_complex_load(dtype, loop->at[1] + at * loop->strides[1]);
    et_complex128 b =
        et_complex_load(dtype, loop->at[2] + at * loop->strides[2]);
    b.real *= factor;
    b.imaginary *= factor;
    et_complex_store(dtype, loop->at[0] + at * loop->strides[0], compute(a, b));
  }
}

/* Computes out = compute(self, factor * other) with broadcasting. The kernel
 * table requires one complex dtype. */
static et_status combine(et_kernel_context *context, const char *name,
                         formula compute, double factor, et_value **args,
                         et_tensor *out) {
  et_tensor *const operands[2] = {args[0]->u.as_tensor, args[1]->u.as_tensor};
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(
      et_shape_broadcast(context, name, operands, 2, sizes, &rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  et_view views[3] = {et_view_of(out)};
  for (size_t k = 0; k < 2; k++) {
    const et_view view = et_view_of(operands[k]);
    et_view_expand(&view, sizes, rank, &views[k + 1]);
  }
  for (et_loop loop = et_loop_over(views, 3); loop.count > 0;
       et_loop_next(&loop)) {
    apply(compute, factor, out->dtype, &loop);
  }
  return ET_STATUS_OK;
}

et_status et_op_add_complex_out(et_kernel_context *context, et_value **args) {
  return combine(context, "add", sum, et_scalar_to_double(args[2]), args,
                 args[3]->u.as_tensor);
}

et_status et_op_sub_complex_out(et_kernel_context *context, et_value **args) {
  return combine(context, "sub", sum, -et_scalar_to_double(args[2]), args,
                 args[3]->u.as_tensor);
}

et_status et_op_mul_complex_out(et_kernel_context *context, et_value **args) {
  return combine(context, "mul", product, 1.0, args, args[2]->u.as_tensor);
}

et_status et_op_div_complex_out(et_kernel_context *context, et_value **args) {
  return combine(context, "div", quotient, 1.0, args, args[2]->u.as_tensor);
}
