#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/normalize.h"

typedef struct group_norm {
  const et_tensor *input; /* [N, C, ...] */
  et_channels parameters;
  int64_t groups;
  double eps;
  et_tensor *out;
  et_tensor *mean; /* [N, groups], like rstd */
  et_tensor *rstd;
} group_norm;

static et_status check_group_norm(et_kernel_context *context,
                                  const group_norm *p, et_value **args) {
  const et_tensor *input = p->input;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "group_norm: input", input, 2, ET_MAX_RANK));
  const int64_t n = input->sizes[0];
  const int64_t c = input->sizes[1];
  ET_CHECK(context,
           args[3]->u.as_int == n && args[4]->u.as_int == c &&
               (input->numel == 0 ||
                args[5]->u.as_int == (int64_t)input->numel / n / c),
           "group_norm: N, C and HxW do not match the input");
  ET_CHECK(context, p->groups >= 1 && c % p->groups == 0,
           "group_norm: %lld channels are not divisible by %lld groups",
           (long long)c, (long long)p->groups);
  ET_CHECK(context,
           et_scalar_type_is_floating(input->dtype) &&
               et_scalar_type_is_floating(p->mean->dtype) &&
               et_scalar_type_is_floating(p->rstd->dtype),
           "group_norm: input or statistics are not floating-point; cast them "
           "to float32");
  ET_RETURN_IF_ERROR(et_channels_check(context, "group_norm", "weight",
                                       p->parameters.weight, c));
  ET_RETURN_IF_ERROR(
      et_channels_check(context, "group_norm", "bias", p->parameters.bias, c));
  return et_shape_same_dtype(context, "group_norm: out", input, p->out);
}

static et_status resize_outs(et_kernel_context *context, const group_norm *p) {
  const int32_t sizes[2] = {p->input->sizes[0], (int32_t)p->groups};
  ET_CHECK(context, p->groups <= INT32_MAX,
           "group_norm: %lld groups are too many", (long long)p->groups);
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, p->out, p->input));
  ET_RETURN_IF_ERROR(et_tensor_resize(p->mean, sizes, 2, context->error));
  return et_tensor_resize(p->rstd, sizes, 2, context->error);
}

static void save(const et_tensor *statistics, int64_t n, int64_t group,
                 double value) {
  const et_view view = et_view_of(statistics);
  const et_view row = et_view_select(&view, 0, n);
  const et_view element = et_view_select(&row, 0, group);
  et_store_run(ET_COMPUTE_FLOAT64, &value, element.dtype, element.data, 0, 1);
}

/* `in` and `out` are one image, [C, ...]. */
static void normalise_group(const group_norm *p, const et_view *in,
                            const et_view *out, int64_t n, int64_t group) {
  const int64_t channels = in->sizes[0] / p->groups;
  const et_view part =
      et_view_slice(in, 0, group * channels, 1, (int32_t)channels);
  const et_moments m = et_moments_of(&part, p->eps);
  save(p->mean, n, group, m.mean);
  save(p->rstd, n, group, m.rstd);
  for (int64_t c = group * channels; c < (group + 1) * channels; c++) {
    const et_view from = et_view_select(in, 0, c);
    const et_view to = et_view_select(out, 0, c);
    et_normalize_channel(&from, &to, m, &p->parameters, c);
  }
}

et_status et_op_native_group_norm_out(et_kernel_context *context,
                                      et_value **args) {
  const group_norm p = {
      .input = args[0]->u.as_tensor,
      .parameters = {et_arg_tensor(args[1]), et_arg_tensor(args[2])},
      .groups = args[6]->u.as_int,
      .eps = et_scalar_to_double(args[7]),
      .out = args[8]->u.as_tensor,
      .mean = args[9]->u.as_tensor,
      .rstd = args[10]->u.as_tensor};
  ET_RETURN_IF_ERROR(check_group_norm(context, &p, args));
  ET_RETURN_IF_ERROR(resize_outs(context, &p));
  const et_view in = et_view_of(p.input);
  const et_view out = et_view_of(p.out);
  for (int64_t n = 0; n < in.sizes[0]; n++) {
    const et_view from = et_view_select(&in, 0, n);
    const et_view to = et_view_select(&out, 0, n);
    for (int64_t group = 0; group < p.groups; group++) {
      normalise_group(&p, &from, &to, n, group);
    }
  }
  return ET_STATUS_OK;
}
