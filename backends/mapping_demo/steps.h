/* The arithmetic of the mapping demo, on float32 tensors in C order. */
#ifndef BACKENDS_MAPPING_DEMO_STEPS_H_
#define BACKENDS_MAPPING_DEMO_STEPS_H_

#include "backends/mapping_demo/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes a checked step from its operands, the second of which is read by a
 * division alone. */
void mapping_demo_compute(const mapping_demo_step *step,
                          const float *const operands[2], float *out);

/* What a profile calls it. */
const char *mapping_demo_name(mapping_demo_kind kind);

#ifdef __cplusplus
}
#endif

#endif /* BACKENDS_MAPPING_DEMO_STEPS_H_ */
