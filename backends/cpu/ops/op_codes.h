/* The kinds of ops and their codes in payloads: see PAYLOAD.md. */
#ifndef BACKENDS_CPU_OPS_OP_CODES_H_
#define BACKENDS_CPU_OPS_OP_CODES_H_

/* X(NAME, code, name). Codes are never used again. The kind `name` is the
 * et_backend_part `et_cpu_op_<name>`. */
#define ET_CPU_OP_LIST(X)                             \
  X(GEMM_F32, 1, gemm_f32)                            \
  X(CONV_F32, 2, conv_f32)                            \
  X(DWCONV_F32, 3, dwconv_f32)                        \
  X(WINOGRAD_F32, 4, winograd_f32)                    \
  X(MBCONV_F32, 5, mbconv_f32)                        \
  X(POOL_F32, 6, pool_f32)                            \
  X(PERMUTE, 7, permute)                              \
  X(COPY, 8, copy)                                    \
  X(ELEMENTWISE_F32, 9, elementwise_f32)              \
  X(REDUCE, 10, reduce)                               \
  X(SOFTMAX, 11, softmax)                             \
  X(NORM, 12, norm)                                   \
  X(MATMUL, 13, matmul)                               \
  X(SDPA_F32, 14, sdpa_f32)                           \
  X(EMBEDDING, 15, embedding)                         \
  X(RESIZE, 16, resize)                               \
  X(QUANTIZE, 17, quantize)                           \
  X(DEQUANTIZE, 18, dequantize)                       \
  X(GEMM_QD8_QBW, 19, gemm_qd8_qbw)                   \
  X(CONV_QS8, 20, conv_qs8)                           \
  X(DWCONV_QS8, 21, dwconv_qs8)                       \
  X(BINARY_QS8, 22, binary_qs8)                       \
  X(GEMM_F32_QBW, 23, gemm_f32_qbw)                   \
  X(KV_UPDATE, 24, kv_update)                         \
  X(ELEMENTWISE_I64, 27, elementwise_i64)             \
  X(EMBEDDING_QW, 28, embedding_qw)                   \
  X(LUT_QS8, 30, lut_qs8)                             \
  X(POOL_QS8, 31, pool_qs8)                           \
  X(CAST, 32, cast)                                   \
  X(GEMM_F32_F16W, 33, gemm_f32_f16w)                 \
  X(CONV_F32_F16W, 34, conv_f32_f16w)                 \
  X(ARANGE, 40, arange)                               \
  X(CUMSUM, 41, cumsum)                               \
  X(TOPK, 42, topk)                                   \
  X(ADAPTIVE_POOL, 43, adaptive_pool)                 \
  X(GRID_SAMPLE, 44, grid_sample)                     \
  X(COL2IM, 45, col2im)                               \
  X(WINOGRAD_QS8, 46, winograd_qs8)                   \
  X(STRASSEN_F32, 47, strassen_f32)                   \
  X(GROUPED_GEMM_F32, 48, grouped_gemm_f32)           \
  X(GROUPED_GEMM_F32_F16W, 49, grouped_gemm_f32_f16w) \
  X(MASKED_SCATTER, 50, masked_scatter)

typedef enum et_cpu_op_code {
#define ET_CPU_OP_CODE(NAME, code, name) ET_CPU_OP_##NAME = code,
  ET_CPU_OP_LIST(ET_CPU_OP_CODE)
#undef ET_CPU_OP_CODE
} et_cpu_op_code;

#endif /* BACKENDS_CPU_OPS_OP_CODES_H_ */
