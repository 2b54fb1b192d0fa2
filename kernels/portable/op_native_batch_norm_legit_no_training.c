#include <math.h>

#include "kernels/util/args.h"
#include "kernels/util/convert.h"
#include "kernels/util/loop.h"
#include "kernels/util/shape.h"

/* A channel's x * scale + shift. */
typedef struct affine {
  double scale;
  double shift;
} affine;

static double element(const et_tensor *tensor, int64_t index, double absent) {
  double value = absent;
  if (tensor != NULL) {
    const int64_t at = index * tensor->strides[0] *
                       (int64_t)et_scalar_type_size((int32_t)tensor->dtype);
    et_load_run(ET_COMPUTE_FLOAT64, tensor->dtype,
                (const uint8_t *)tensor->data + at, 0, 1, &value);
  }
  return value;
}

static affine affine_of(et_value **args, int64_t channel) {
  const double mean = element(args[3]->u.as_tensor, channel, 0.0);
  const double variance = element(args[4]->u.as_tensor, channel, 0.0);
  const double weight = element(et_arg_tensor(args[1]), channel, 1.0);
  const double bias = element(et_arg_tensor(args[2]), channel, 0.0);
  const double eps = et_scalar_to_double(args[6]);
  const double scale = weight / sqrt(variance + eps);
  return (affine){scale, bias - mean * scale};
}

static void transform_run(const affine *a, et_scalar_type in_dtype,
                          et_scalar_type out_dtype, const et_loop *loop) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_FLOAT64, in_dtype,
                loop->at[1] + (ptrdiff_t)start * loop->strides[1],
                loop->strides[1], n, &chunk);
    for (size_t i = 0; i < n; i++) {
      chunk.float64[i] = chunk.float64[i] * a->scale + a->shift;
    }
    et_store_run(ET_COMPUTE_FLOAT64, &chunk, out_dtype,
                 loop->at[0] + (ptrdiff_t)start * loop->strides[0],
                 loop->strides[0], n);
  }
}

static et_status check_parameter(et_kernel_context *context, const char *name,
                                 const et_tensor *tensor, int32_t channels) {
  ET_CHECK(
      context,
      tensor == NULL || (tensor->rank == 1 && tensor->sizes[0] == channels &&
                         et_scalar_type_is_floating(tensor->dtype)),
      "batch_norm: %s must be floating with %d elements", name, (int)channels);
  return ET_STATUS_OK;
}

static et_status check(et_kernel_context *context, et_value **args) {
  static const char *const names[4] = {"weight", "bias", "running_mean",
                                       "running_var"};
  const et_tensor *input = args[0]->u.as_tensor;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "batch_norm: input", input, 2, ET_MAX_RANK));
  ET_CHECK(context, et_scalar_type_is_floating(input->dtype),
           "batch_norm: dtype %s is not supported",
           et_scalar_type_name((int32_t)input->dtype));
  for (size_t i = 0; i < 4; i++) {
    ET_RETURN_IF_ERROR(check_parameter(
        context, names[i], et_arg_tensor(args[i + 1]), input->sizes[1]));
  }
  return et_shape_same_dtype(context, "batch_norm: out", input,
                             args[7]->u.as_tensor);
}

/* The statistics are those given: the outs for them stay empty. */
et_status et_op_native_batch_norm_legit_no_training_out(
    et_kernel_context *context, et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[7]->u.as_tensor;
  const int32_t empty[1] = {0};
  ET_RETURN_IF_ERROR(check(context, args));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  ET_RETURN_IF_ERROR(
      et_tensor_resize(args[8]->u.as_tensor, empty, 1, context->error));
  ET_RETURN_IF_ERROR(
      et_tensor_resize(args[9]->u.as_tensor, empty, 1, context->error));
  const et_view in_view = et_view_of(input);
  const et_view out_view = et_view_of(out);
  for (int64_t c = 0; c < input->sizes[1]; c++) {
    const affine a = affine_of(args, c);
    const et_view views[2] = {et_view_select(&out_view, 1, c),
                              et_view_select(&in_view, 1, c)};
    for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
         et_loop_next(&loop)) {
      transform_run(&a, input->dtype, out->dtype, &loop);
    }
  }
  return ET_STATUS_OK;
}
