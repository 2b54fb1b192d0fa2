#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/reduce.h"

/* Divides the sum of squares by max(count - correction, 0). For zero elements,
 * the result is NaN, like the mean. */
static double variance(et_loop elements, et_scalar_type dtype, double mean,
                       double divisor) {
  const double sum = et_sum_elements(elements, dtype, mean, true);
  return isnan(mean) ? mean : sum / (divisor > 0.0 ? divisor : 0.0);
}

/* Stores the variance in the first output and, if there is a second one, the
 * mean in it. */
static void var_of(const et_reduction *r, et_loop *elements,
                   uint8_t *const *outs, const void *correction) {
  const et_scalar_type dtype = r->reduced.dtype;
  const double count = (double)r->count;
  const double mean = et_sum_elements(*elements, dtype, 0.0, false) / count;
  const double var =
      variance(*elements, dtype, mean, count - *(const double *)correction);
  et_store_run(ET_COMPUTE_FLOAT64, &var, r->outs[0].dtype, outs[0], 0, 1);
  if (r->out_count == 2) {
    et_store_run(ET_COMPUTE_FLOAT64, &mean, r->outs[1].dtype, outs[1], 0, 1);
  }
}

static et_status apply(et_kernel_context *context, et_value **args,
                       double correction, bool keepdim, et_tensor *var,
                       et_tensor *mean) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_reduction reduction;
  ET_CHECK(context,
           et_scalar_type_is_floating(self->dtype) &&
               et_scalar_type_is_floating(var->dtype) &&
               (mean == NULL || et_scalar_type_is_floating(mean->dtype)),
           "var: self or an out is not floating-point; cast it to float32");
  ET_RETURN_IF_ERROR(et_reduction_plan(context, "var", self, args[1], keepdim,
                                       var, mean, &reduction));
  et_reduction_run(&reduction, var_of, &correction);
  return ET_STATUS_OK;
}

static double correction_of(const et_value *correction) {
  return et_arg_is_none(correction) ? 1.0 : et_scalar_to_double(correction);
}

et_status et_op_var_out(et_kernel_context *context, et_value **args) {
  return apply(context, args, args[2]->u.as_bool ? 1.0 : 0.0,
               args[3]->u.as_bool, args[4]->u.as_tensor, NULL);
}

et_status et_op_var_correction_out(et_kernel_context *context,
                                   et_value **args) {
  return apply(context, args, correction_of(args[2]), args[3]->u.as_bool,
               args[4]->u.as_tensor, NULL);
}

et_status et_op_var_mean_correction_out(et_kernel_context *context,
                                        et_value **args) {
  return apply(context, args, correction_of(args[2]), args[3]->u.as_bool,
               args[4]->u.as_tensor, args[5]->u.as_tensor);
}
