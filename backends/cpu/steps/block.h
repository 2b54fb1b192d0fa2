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
  et_cpu_product project;
  size_t rows; /* of the output, at once */
  size_t ring; /* rows of the expanded picture that they read */
} et_cpu_block;

/* Most blocks of a step, of which each expands what the one before projects. */
#define ET_CPU_CHAINED_BLOCKS 4

et_status et_cpu_check_block(const et_cpu_step *step, et_error *error);

/* Of a step that was checked: how many blocks it has, and one of them. Tensors are
 * whole: x of the first, out and residual of the last. */
size_t et_cpu_chained_blocks(const et_cpu_step *step);
et_cpu_block et_cpu_read_block(const et_cpu_step *step, size_t index);

#endif /* BACKENDS_CPU_STEPS_BLOCK_H_ */
