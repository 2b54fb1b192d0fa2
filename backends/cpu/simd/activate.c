#include "backends/cpu/simd/activate.h"

#include "backends/cpu/simd/functions.h"

typedef et_cpu_activation parameters;

ET_INLINE et_f32 clamped(et_f32 x, parameters p) {
  return et_f32_clamp(x, et_f32_all(p.low), et_f32_all(p.high));
}

/* x times the share of the normal distribution below x, for which a quotient of
 * polynomials is precise enough, and takes a third of the time of et_f32_erf:
 * erf(x / sqrt(2)) / x is fitted up to 5.6, where the quotient rounds to no less
 * than 1, to which it is bound. */
ET_INLINE et_f32 gelu(et_f32 x, parameters p) {
  static const float above[] = {4.459501212750183e-08f, 1.2579377653310075e-05f,
                                3.378471010364592e-04f, 9.35463048517704e-03f,
                                6.78570494055748e-02f,  7.978845238685608e-01f};
  static const float below[] = {
      1.1796530543506378e-06f, 7.334210386034101e-05f,  1.8854598747566342e-03f,
      2.8677256777882576e-02f, 2.5171253085136414e-01f, 1.0f};
  (void)p;
  const et_f32 one = et_f32_all(1.0f);
  const et_f32 half = et_f32_all(0.5f);
  const et_f32 most = et_f32_all(5.6f);
  const et_f32 near = et_f32_clamp(x, -most, most);
  const et_f32 square = near * near;
  const et_f32 twice = near * et_f32_polynomial(square, above, 6) /
                       et_f32_polynomial(square, below, 6);
  return x * et_f32_fma(half, et_f32_clamp(twice, -one, one), half);
}

/* x times half of 1 + tanh(u), which is x / (1 + e^(-2u)). */
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

/* Times the nearest float to 1 / 6, which a division takes three times as long as;
 * of 6 that is 1. */
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

/* Tiles have few vectors in a row: a call for each row took as long as what it did. */
#define DEFINE_ROWS(name)                                            \
  static void name##_rows(float *values, size_t stride, size_t rows, \
                          size_t vectors, const parameters *p) {     \
    const parameters same = *p; /* whatever is stored */             \
    for (; rows > 0; rows--, values += stride) {                     \
      for (size_t v = 0; v < vectors; v++) {                         \
        float *at = values + v * ET_CPU_LANES;                       \
        et_f32_store(at, name(et_f32_load(at), same));               \
      }                                                              \
    }                                                                \
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
    [ET_CPU_ACTIVATION_CLAMP] = clamped_rows,
    [ET_CPU_ACTIVATION_GELU] = gelu_rows,
    [ET_CPU_ACTIVATION_GELU_TANH] = gelu_tanh_rows,
    [ET_CPU_ACTIVATION_SILU] = silu_rows,
    [ET_CPU_ACTIVATION_HARDSWISH] = hardswish_rows,
    [ET_CPU_ACTIVATION_SIGMOID] = sigmoid_rows,
    [ET_CPU_ACTIVATION_TANH] = hyperbolic_rows,
    [ET_CPU_ACTIVATION_HARDSIGMOID] = hardsigmoid_rows,
    [ET_CPU_ACTIVATION_LEAKY_RELU] = leaky_relu_rows,
    [ET_CPU_ACTIVATION_ELU] = elu_rows,
};

/* What does not fill a vector is worked on beside the row. */
ET_APART void run_last(rows_function *function, float *values, size_t count,
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

/* Rows without gaps are one. */
void ET_CPU_NAME(et_cpu_activate_f32)(const et_cpu_activation *activation,
                                      float *values, size_t stride, size_t rows,
                                      size_t columns) {
  rows_function *function = rows_functions[activation->kind];
  if (stride == columns) {
    columns *= rows;
    rows = 1;
  }
  if (function != NULL) {
    run_rows(function, values, stride, rows, columns, activation);
  }
}
