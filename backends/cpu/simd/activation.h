/* What is applied to a step's results before they are stored. */
#ifndef BACKENDS_CPU_SIMD_ACTIVATION_H_
#define BACKENDS_CPU_SIMD_ACTIVATION_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, code, parameters that it has). The codes stand in payloads. */
#define ET_CPU_ACTIVATION_LIST(X) \
  X(NONE, 0, 0)                   \
  X(CLAMP, 1, 2)                  \
  X(GELU, 2, 0)                   \
  X(GELU_TANH, 3, 0)              \
  X(SILU, 4, 0)                   \
  X(HARDSWISH, 5, 0)              \
  X(SIGMOID, 6, 0)                \
  X(TANH, 7, 0)                   \
  X(HARDSIGMOID, 8, 0)            \
  X(LEAKY_RELU, 9, 1)             \
  X(ELU, 10, 1)

typedef enum et_cpu_activation_kind {
#define ET_CPU_ACTIVATION_ENUM(NAME, code, parameters) \
  ET_CPU_ACTIVATION_##NAME = code,
  ET_CPU_ACTIVATION_LIST(ET_CPU_ACTIVATION_ENUM)
#undef ET_CPU_ACTIVATION_ENUM
} et_cpu_activation_kind;

typedef struct et_cpu_activation {
  uint32_t kind;
  float low;
  float high;
} et_cpu_activation;

/* The bounds that results are clamped to where they are computed. */
static inline float et_cpu_clamp_low(const et_cpu_activation *activation) {
  return activation->kind == ET_CPU_ACTIVATION_CLAMP ? activation->low
                                                     : -INFINITY;
}

static inline float et_cpu_clamp_high(const et_cpu_activation *activation) {
  return activation->kind == ET_CPU_ACTIVATION_CLAMP ? activation->high
                                                     : INFINITY;
}

#endif /* BACKENDS_CPU_SIMD_ACTIVATION_H_ */
