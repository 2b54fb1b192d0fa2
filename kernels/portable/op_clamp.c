#include "kernels/util/args.h"
#include "kernels/util/map.h"

/* A NaN is smaller and greater than nothing, and stays; a NaN as limit is the
 * result. Where min > max the result is max, as in PyTorch. */
#define AT_LEAST(x, low) ((low) > (x) || (low) != (low) ? (low) : (x))
#define AT_MOST(x, high) ((high) < (x) || (high) != (high) ? (high) : (x))

ET_MAP_UNARY_ALL(at_least, AT_LEAST(x, s[0]))
ET_MAP_UNARY_ALL(at_most, AT_MOST(x, s[0]))
ET_MAP_UNARY_ALL(between, AT_MOST(AT_LEAST(x, s[0]), s[1]))

static const et_map at_least = {
    "clamp",
    ET_MAP_PROMOTE,
    {at_least_int64, at_least_float32, at_least_float64},
    false};
static const et_map at_most = {
    "clamp",
    ET_MAP_PROMOTE,
    {at_most_int64, at_most_float32, at_most_float64},
    false};
static const et_map between = {
    "clamp",
    ET_MAP_PROMOTE,
    {between_int64, between_float32, between_float64},
    false};

et_status et_op_clamp_out(et_kernel_context *context, et_value **args) {
  const et_value *self = args[0];
  const et_value *limits[2] = {args[1], args[2]};
  et_tensor *out = args[3]->u.as_tensor;
  const bool has_min = !et_arg_is_none(args[1]);
  const bool has_max = !et_arg_is_none(args[2]);
  ET_CHECK(context, has_min || has_max,
           "clamp: at least one of min and max must be given");
  if (has_min && has_max) {
    return et_map_apply(context, &between, &self, 1, limits, 2, out);
  }
  return has_min
             ? et_map_apply(context, &at_least, &self, 1, limits, 1, out)
             : et_map_apply(context, &at_most, &self, 1, limits + 1, 1, out);
}
