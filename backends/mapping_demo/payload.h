/* Reading the payload of BackendWithDelegateMappingDemo: see PAYLOAD.md. */
#ifndef BACKENDS_MAPPING_DEMO_PAYLOAD_H_
#define BACKENDS_MAPPING_DEMO_PAYLOAD_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAPPING_DEMO_MAX_STEPS 64

typedef enum mapping_demo_kind {
  MAPPING_DEMO_CONV_RELU,
  MAPPING_DEMO_SIN,
  MAPPING_DEMO_COS,
  MAPPING_DEMO_DIV,
  MAPPING_DEMO_KIND_COUNT,
} mapping_demo_kind;

/* Sizes of one image: channels, height, width. */
typedef struct mapping_demo_image {
  uint32_t channels;
  uint32_t height;
  uint32_t width;
} mapping_demo_image;

typedef struct mapping_demo_convolution {
  uint32_t batch;
  mapping_demo_image in;
  mapping_demo_image out;
  uint32_t window_height;
  uint32_t window_width;
  uint32_t stride;
  uint32_t padding;
  const uint8_t *weights; /* float32, little-endian; the bias behind them */
} mapping_demo_convolution;

/* One step. Values are numbered: 0 is the input, k + 1 the result of step k. */
typedef struct mapping_demo_step {
  uint32_t kind; /* mapping_demo_kind */
  uint32_t operands[2];
  uint32_t numel;
  mapping_demo_convolution convolution;
  float *result; /* NULL while it is read, and in the last step */
} mapping_demo_step;

/* A payload whose header has been checked. */
typedef struct mapping_demo_payload {
  et_span bytes;
  uint32_t step_count;
  uint32_t input_numel;
} mapping_demo_payload;

/* Both return DELEGATE_INCOMPATIBLE and say what is at fault. */

et_status mapping_demo_open(et_span bytes, et_error *error,
                            mapping_demo_payload *out);

/* Reads and checks step `index`, whose operands are results of steps before. */
et_status mapping_demo_read_step(const mapping_demo_payload *payload,
                                 uint32_t index, et_error *error,
                                 mapping_demo_step *out);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_MAPPING_DEMO_PAYLOAD_H_ */
