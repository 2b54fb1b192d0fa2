/* What a step `block` is made of. */
#ifndef BACKENDS_CPU_STEPS_BLOCK_H_
#define BACKENDS_CPU_STEPS_BLOCK_H_

#include "backends/cpu/simd/depthwise.h"
#include "backends/cpu/simd/planes.h"
#include "backends/cpu/simd/product.h"
#include "backends/cpu/steps/step.h"

/* Most rows of a filter's window: they are listed on the stack. */
#define ET_CPU_BLOCK_ROWS 32

/* What the expanding convolution is computed as. */
typedef enum et_cpu_expand_form {
  ET_CPU_EXPAND_POINT, /* 1 x 1: a product */
  ET_CPU_EXPAND_PLANES,
  ET_CPU_EXPAND_WINDOW,
} et_cpu_expand_form;

typedef struct et_cpu_block {
  et_cpu_expand_form form;
  et_cpu_convolution expand;
  et_cpu_depthwise filter; /* its image is the expanded picture */
  et_cpu_product project;  /* out and residual are whole tensors */
  size_t rows;             /* of the output, at once */
  size_t ring;             /* rows of the expanded picture that they read */
} et_cpu_block;

et_status et_cpu_check_block(const et_cpu_step *step, et_error *error);

/* Of a step that was checked. */
et_cpu_block et_cpu_read_block(const et_cpu_step *step);

#endif /* BACKENDS_CPU_STEPS_BLOCK_H_ */
