#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/map.h"

/* NaN stays NaN, because its comparisons are false. */
#define WITHIN(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define ODDS(p) ((p) / (1 - (p)))

ET_MAP_FLOATS(ET_MAP_UNARY, logit, logf(ODDS(x)), log(ODDS(x)))
ET_MAP_FLOATS(ET_MAP_UNARY, bounded, logf(ODDS(WITHIN(x, s[0], 1 - s[0]))),
              log(ODDS(WITHIN(x, s[0], 1 - s[0]))))

static const et_map logit = {"logit", ET_MAP_FLOATING, ET_RUN_FLOATS(logit),
                             ET_MAP_FOLLOW};
static const et_map bounded = {"logit", ET_MAP_FLOATING, ET_RUN_FLOATS(bounded),
                               ET_MAP_FOLLOW};

/* A negative eps means none. */
et_status et_op_logit_out(et_kernel_context *context, et_value **args) {
  const et_value *eps = args[1];
  const bool unbounded = et_arg_is_none(eps) || eps->u.as_double < 0;
  return et_map_with_scalar(context, unbounded ? &logit : &bounded, args[0],
                            eps, args[2]);
}
