/* Implements activation.h: y = f(x), in place, for float32 rows.
 *
 * x is [rows, columns], with a stride between rows. The tile is one vector; a partial vector is
 * processed in a local buffer. Each function has its own loop over the rows of a call. Arithmetic
 * is the bottleneck (functions.h). */
#include "backends/cpu/microkernels/activation.h"

#include "backends/cpu/microkernels/functions.h"

typedef et_cpu_activation parameters;

ET_INLINE et_f32 clamped(et_f32 x, parameters p) {
  return et_f32_clamp(x, et_f32_all(p.low), et_f32_all(p.high));
}

/* Returns x * Phi(x), where Phi is the cumulative distribution function of the standard normal
 * distribution.
 *
 * Phi(x) - 1/2 = x * R(x^2), where R is a rational function. R is 3x faster than et_f32_erf. It is
 * fitted to erf(x / sqrt(2)) / 2x for |x| <= 5.1, and its argument is clamped to that range. Below
 * -5.1, the factor x is also clamped; otherwise, the error of Phi would grow with x. */
ET_INLINE et_f32 gelu(et_f32 x, parameters p) {
  static const float above[] = {6.407098680938361e-06f, 3.437612612797195e-04f,
                                5.6925988756120205e-03f, 5.206744745373726e-02f,
                                3.989414870738983e-01f};
  static const float below[] = {
      5.464701757773582e-07f, 1.2429857451934367e-04f, 2.8637105133384466e-03f,
      3.881609067320824e-02f, 2.971689999103546e-01f,  1.0f};
  (void)p;
  const et_f32 max = et_f32_all(5.1f);
  const et_f32 y = et_f32_at_least(x, -max);
  const et_f32 near = et_f32_at_most(y, max);
  const et_f32 square = near * near;
  const et_f32 share = near * et_f32_polynomial(square, above, 5) /
                       et_f32_polynomial(square, below, 6);
  return y * (share + et_f32_all(0.5f));
}

/* x / 2 * (1 + tanh(u)) = x / (1 + e^(-2u)). */
ET_INLINE et_f32 gelu_tanh(et_f32 x, parameters p) {
  (void)p;
  const et_f32 cube = x * x * x;
  const et_f32 inner = et_f32_fma(et_f32_all(0.044715f), cube, x);
  const et_f32 power = et_f32_exp(inner * et_f32_all(-1.595769122f));
  return x / (et_f32_all(1.0f) + power);
}

ET_INLINE et_f32 silu(et_f32 x, parameters p) {
  (void)p;
  return x / (et_f32_all(1.0f) + et_f32_exp(-x));
}

/* Multiplies by the float nearest to 1/6, because a division takes three times as long. The product
 * of 6 and that float rounds to exactly 1. */
ET_INLINE et_f32 hardsigmoid(et_f32 x, parameters p) {
  (void)p;
  return et_f32_clamp(x + et_f32_all(3.0f), et_f32_all(0.0f),
                      et_f32_all(6.0f)) *
         et_f32_all(1.0f / 6.0f);
}

ET_INLINE et_f32 hardswish(et_f32 x, parameters p) {
  return x * hardsigmoid(x, p);
}

ET_INLINE et_f32 sigmoid(et_f32 x, parameters p) {
  (void)p;
  return et_f32_sigmoid(x);
}

ET_INLINE et_f32 hyperbolic(et_f32 x, parameters p) {
  (void)p;
  return et_f32_tanh(x);
}

ET_INLINE et_f32 leaky_relu(et_f32 x, parameters p) {
  return et_f32_select(x > et_f32_all(0.0f), x, x * et_f32_all(p.low));
}

ET_INLINE et_f32 elu(et_f32 x, parameters p) {
  return et_f32_select(x > et_f32_all(0.0f), x,
                       et_f32_all(p.low) * et_f32_expm1(x));
}

typedef void rows_function(float *values, size_t stride, size_t rows,
                           size_t vectors, const parameters *p);

/* Processes several rows per call. A row of a tile has only a few vectors: with one call per row,
 * the call overhead would be as large as the work. */
#define DEFINE_ROWS(name)                                                     \
  static void name##_rows(float *values, size_t stride, size_t rows,          \
                          size_t vectors, const parameters *p) {              \
    const parameters same = *p; /* a local copy, which stores cannot alias */ \
    for (; rows > 0; rows--, values += stride) {                              \
      for (size_t v = 0; v < vectors; v++) {                                  \
        float *at = values + v * ET_CPU_LANES;                                \
        et_f32_store(at, name(et_f32_load(at), same));                        \
      }                                                                       \
    }                                                                         \
  }
DEFINE_ROWS(clamped)
DEFINE_ROWS(gelu)
DEFINE_ROWS(gelu_tanh)
DEFINE_ROWS(silu)
DEFINE_ROWS(hardswish)
DEFINE_ROWS(sigmoid)
DEFINE_ROWS(hyperbolic)
DEFINE_ROWS(hardsigmoid)
DEFINE_ROWS(leaky_relu)
DEFINE_ROWS(elu)

static rows_function *const rows_functions[] = {
    [ET_CPU_ACTIVATION_FUNCTION_CLAMP] = clamped_rows,
    [ET_CPU_ACTIVATION_FUNCTION_GELU] = gelu_rows,
    [ET_CPU_ACTIVATION_FUNCTION_GELU_TANH] = gelu_tanh_rows,
    [ET_CPU_ACTIVATION_FUNCTION_SILU] = silu_rows,
    [ET_CPU_ACTIVATION_FUNCTION_HARDSWISH] = hardswish_rows,
    [ET_CPU_ACTIVATION_FUNCTION_SIGMOID] = sigmoid_rows,
    [ET_CPU_ACTIVATION_FUNCTION_TANH] = hyperbolic_rows,
    [ET_CPU_ACTIVATION_FUNCTION_HARDSIGMOID] = hardsigmoid_rows,
    [ET_CPU_ACTIVATION_FUNCTION_LEAKY_RELU] = leaky_relu_rows,
    [ET_CPU_ACTIVATION_FUNCTION_ELU] = elu_rows,
};

/* Processes a partial vector in a local buffer. */
ET_NOINLINE void run_last(rows_function *function, float *values, size_t count,
                          const parameters *p) {
  float lanes[ET_CPU_LANES];
  et_f32_store(lanes, et_f32_load_some(values, count));
  function(lanes, ET_CPU_LANES, 1, 1, p);
  et_f32_store_some(values, et_f32_load(lanes), count);
}

static void run_rows(rows_function *function, float *values, size_t stride,
                     size_t rows, size_t columns, const parameters *p) {
  const size_t vectors = columns / ET_CPU_LANES;
  const size_t whole = vectors * ET_CPU_LANES;
  function(values, stride, rows, vectors, p);
  for (size_t r = 0; whole < columns && r < rows; r++) {
    run_last(function, values + r * stride + whole, columns - whole, p);
  }
}

/* Contiguous rows are processed as a single row. */
void ET_CPU_NAME(et_cpu_activate_f32)(const et_cpu_activation *activation,
                                      float *values, size_t stride, size_t rows,
                                      size_t columns) {
  rows_function *function = rows_functions[activation->function];
  if (stride == columns) {
    columns *= rows;
    rows = 1;
  }
  if (function != NULL) {
    run_rows(function, values, stride, rows, columns, activation);
  }
}
