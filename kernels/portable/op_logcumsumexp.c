#include <math.h>

#include "kernels/portable/lines.h"

/* log(exp(a) + exp(b)) without overflow. */
static double log_add_exp(double a, double b) {
  const double high = a > b ? a : b;
  const double low = a > b ? b : a;
  if (a != a || b != b) {
    return a + b;
  }
  return isinf(high) ? high : high + log1p(exp(low - high));
}

static void add_up(et_compute compute, et_running *sum, et_chunk *chunk,
                   size_t count) {
  (void)compute; /* always double */
  for (size_t i = 0; i < count; i++) {
    sum->float64 = log_add_exp(sum->float64, chunk->float64[i]);
    chunk->float64[i] = sum->float64;
  }
}

static const et_scan logcumsumexp = {
    "logcumsumexp", add_up, {0, -INFINITY}, true};

et_status et_op_logcumsumexp_out(et_kernel_context *context, et_value **args) {
  return et_scan_apply(context, &logcumsumexp, args[0]->u.as_tensor,
                       args[1]->u.as_int, args[2]->u.as_tensor);
}
