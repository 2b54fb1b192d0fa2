/* The state of a delegate of the demo backend, and its size. */
#ifndef BACKENDS_DEMO_HANDLE_H_
#define BACKENDS_DEMO_HANDLE_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/demo/payload.h"
#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEMO_ALIGNMENT 16

/* An op and the memory of its result. Sizes are those of the current call. */
typedef struct demo_op {
  uint8_t kind; /* demo_kind */
  uint8_t operand_count;
  demo_value operands[DEMO_MAX_OPERANDS];
  uint32_t stride;
  uint32_t padding;
  uint32_t rank;
  uint32_t capacity; /* elements at `result` */
  uint32_t numel;
  int32_t sizes[ET_MAX_RANK];
  float *result;
} demo_op;

typedef struct demo_constant {
  int32_t sizes[DEMO_MAX_CONSTANT_RANK];
  uint32_t rank;
  float *data;
} demo_constant;

typedef struct demo_program {
  uint32_t op_count;
  uint32_t input_count;
  uint32_t output_count;
  demo_op *ops;
  demo_constant *constants;
  demo_value outputs[DEMO_MAX_OUTPUTS];
} demo_program;

#define DEMO_ALIGNED(bytes) \
  (((bytes) + DEMO_ALIGNMENT - (size_t)1) / DEMO_ALIGNMENT * DEMO_ALIGNMENT)

/* Size in bytes of a handle with these numbers of ops and constants. `data` is
 * the number of bytes of all results and constants, each rounded up to
 * DEMO_ALIGNMENT. Manifests state this expression. */
#define DEMO_HANDLE_BYTES(ops, constants, data) \
  (DEMO_ALIGNED(sizeof(demo_program)) +         \
   DEMO_ALIGNED(sizeof(demo_op) * (ops)) +      \
   DEMO_ALIGNED(sizeof(demo_constant) * (constants)) + (data))

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_DEMO_HANDLE_H_ */
