/* The delegate of BiasBackend, and its parts. */
#ifndef TESTS_FEATURE_MODELS_BIAS_BACKEND_BIAS_BACKEND_H_
#define TESTS_FEATURE_MODELS_BIAS_BACKEND_BIAS_BACKEND_H_

#include <stddef.h>

#include "executorch/backend.h"

#define BIAS_ADD 'a'
#define BIAS_MUL 'm'

typedef float bias_function(float x, float constant);

/* A part, which runs one operation. */
typedef struct bias_operation {
  bias_function *function;
} bias_operation;

typedef struct bias_handle {
  const bias_operation *operation;
  const float *constants; /* constants of the program, used in place */
  size_t count;
} bias_handle;

extern const et_backend bias_backend;

#endif /* TESTS_FEATURE_MODELS_BIAS_BACKEND_BIAS_BACKEND_H_ */
