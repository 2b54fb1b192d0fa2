/* What BackendWithDelegateMappingDemo keeps of a delegate, and how many bytes
 * that is. */
#ifndef BACKENDS_MAPPING_DEMO_HANDLE_H_
#define BACKENDS_MAPPING_DEMO_HANDLE_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/mapping_demo/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAPPING_DEMO_ALIGNMENT 16

typedef struct mapping_demo_program {
  uint32_t step_count;
  uint32_t input_numel;
  mapping_demo_step *steps;
} mapping_demo_program;

#define MAPPING_DEMO_ALIGNED(bytes)                                          \
  (((bytes) + MAPPING_DEMO_ALIGNMENT - (size_t)1) / MAPPING_DEMO_ALIGNMENT * \
   MAPPING_DEMO_ALIGNMENT)

/* Bytes of a handle with that many steps, whose results but the last, each
 * aligned, take so many bytes. The manifest of a program says this of its
 * delegates. */
#define MAPPING_DEMO_HANDLE_BYTES(steps, results)       \
  (MAPPING_DEMO_ALIGNED(sizeof(mapping_demo_program)) + \
   MAPPING_DEMO_ALIGNED(sizeof(mapping_demo_step) * (steps)) + (results))

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_MAPPING_DEMO_HANDLE_H_ */
