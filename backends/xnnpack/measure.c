/* Program `measure`: prints the memory that the delegate of an XNNPACK payload needs, as constant C
 * expressions for builds.
 *
 * Usage: measure < PAYLOAD */
#include <stdio.h>
#include <stdlib.h>

#include "backends/xnnpack/runtime/handle.h"

/* Ops are counted but not run, so empty definitions are enough to link. */
#define STEPS(X)               \
  X(et_cpu_op_mbconv_f32)      \
  X(et_cpu_op_cast)            \
  X(et_cpu_op_conv_f32)        \
  X(et_cpu_op_conv_qs8)        \
  X(et_cpu_op_copy)            \
  X(et_cpu_op_dwconv_f32)      \
  X(et_cpu_op_dwconv_qs8)      \
  X(et_cpu_op_dequantize)      \
  X(et_cpu_op_elementwise_f32) \
  X(et_cpu_op_binary_qs8)      \
  X(et_cpu_op_matmul)          \
  X(et_cpu_op_permute)         \
  X(et_cpu_op_pool_f32)        \
  X(et_cpu_op_pool_qs8)        \
  X(et_cpu_op_gemm_f32)        \
  X(et_cpu_op_gemm_qd8_qbw)    \
  X(et_cpu_op_gemm_f32_qbw)    \
  X(et_cpu_op_quantize)        \
  X(et_cpu_op_resize)          \
  X(et_cpu_op_softmax)         \
  X(et_cpu_op_lut_qs8)         \
  X(et_cpu_op_winograd_f32)    \
  X(et_cpu_op_winograd_qs8)    \
  X(et_xnn_op_add_qs8)         \
  X(et_xnn_op_argmax_pool)     \
  X(et_xnn_op_round_rows)      \
  X(et_xnn_op_transposed_convolution)

#define DEFINE(name)                 \
  extern const et_backend_part name; \
  const et_backend_part name = {0, NULL};
STEPS(DEFINE)

#define BLOCK 65536

/* Returns all bytes of standard input, or NULL on failure. */
static uint8_t *read_all(size_t *size) {
  uint8_t *bytes = NULL;
  size_t got = 0;
  *size = 0;
  do {
    uint8_t *more = realloc(bytes, *size + BLOCK);
    if (more == NULL) {
      free(bytes);
      return NULL;
    }
    bytes = more;
    got = fread(bytes + *size, 1, BLOCK, stdin);
    *size += got;
  } while (got > 0);
  return bytes;
}

static void print_sizes(const et_xnn_sizes *sizes) {
  const et_xnn_counts *c = &sizes->counts;
  printf(
      "{\"handle\": \"ET_XNN_HANDLE_BYTES(%uu, %uu, %uu, %uu, %uu, %uu, %uu, "
      "%zuu)\", \"scratch\": \"%zuu\", \"header\": "
      "\"backends/xnnpack/runtime/handle.h\"}\n",
      (unsigned)c->tensors, (unsigned)c->ops, (unsigned)c->references,
      (unsigned)c->dims, (unsigned)c->words, (unsigned)sizes->nodes,
      (unsigned)sizes->arguments, c->packed_bytes, sizes->scratch_bytes);
}

int main(void) {
  et_error error;
  et_xnn_sizes sizes;
  et_backend_context context = {.size = sizeof context, .error = &error};
  et_error_clear(&error);
  uint8_t *bytes = read_all(&context.payload.size);
  context.payload.data = bytes;
  if (bytes == NULL || et_xnn_compute_sizes(&context, &sizes) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    free(bytes);
    return 1;
  }
  print_sizes(&sizes);
  free(bytes);
  return 0;
}
