#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/map.h"

/* x times the standard normal distribution function. */
ET_MAP_FLOATS(ET_MAP_UNARY, gelu, 0.5f * x * (1.0f + erff(x * 0.70710678f)),
              0.5 * x * (1.0 + erf(x * 0.70710678118654752)))

/* The tanh approximation of Hendrycks and Gimpel (arXiv 1606.08415), with
 * sqrt(2 / pi). */
ET_MAP_FLOATS(
    ET_MAP_UNARY, gelu_tanh,
    0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))),
    0.5 * x * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))))

static const et_map gelu = {"gelu", ET_MAP_FLOATING, ET_RUN_FLOATS(gelu),
                            ET_MAP_JOIN};
static const et_map gelu_tanh = {"gelu", ET_MAP_FLOATING,
                                 ET_RUN_FLOATS(gelu_tanh), ET_MAP_JOIN};

et_status et_op_gelu_out(et_kernel_context *context, et_value **args) {
  const bool tanh_form = et_arg_is_text(args[1], "tanh");
  ET_CHECK(context, tanh_form || et_arg_is_text(args[1], "none"),
           "gelu: approximate is invalid; use 'none' or 'tanh'");
  return et_map_unary(context, tanh_form ? &gelu_tanh : &gelu, args[0],
                      args[2]);
}
