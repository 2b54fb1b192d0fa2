/* Values of the graph as declared by the payload. */
#ifndef BACKENDS_XNNPACK_RUNTIME_VALUE_H_
#define BACKENDS_XNNPACK_RUNTIME_VALUE_H_

#include "backends/xnnpack/runtime/graph.h"
#include "executorch/scalar_type.h"

#define ET_XNN_MAX_DIMS 6
#define ET_XNN_NO_VALUE UINT32_MAX

/* Datatypes with their numbers in the schema. */
typedef enum et_xnn_datatype {
  ET_XNN_INVALID,
  ET_XNN_FP32,
  ET_XNN_FP16,
  ET_XNN_QINT8,
  ET_XNN_QUINT8,
  ET_XNN_QINT32,
  ET_XNN_QCINT8,
  ET_XNN_QCINT32,
  ET_XNN_QCINT4,
  ET_XNN_QDINT8, /* dynamically quantized rows, stored as float32 */
  ET_XNN_QBINT4,
  ET_XNN_QPINT8,
  ET_XNN_INT32,
  ET_XNN_PFP32,
  ET_XNN_BF16,
  ET_XNN_DATATYPE_COUNT
} et_xnn_datatype;

/* Flags of a value. */
enum { ET_XNN_EXTERNAL_INPUT = 1, ET_XNN_EXTERNAL_OUTPUT = 2 };

typedef struct et_xnn_dims {
  uint8_t rank;
  int32_t sizes[ET_XNN_MAX_DIMS];
} et_xnn_dims;

/* Quantization of a value. `by` is a tag of the schema, or 0 for values that are not quantized. */
typedef struct et_xnn_quantization {
  uint8_t by;
  float scale;        /* per-tensor only */
  int32_t zero_point; /* per-tensor only */
  uint32_t dim;       /* dimension of the channels */
  uint32_t row_dims;  /* number of trailing dimensions that form a row */
  uint32_t group;     /* elements per scale */
  uint32_t count;     /* number of scales */
  uint32_t constant;  /* of the scales; 0 for `inline_scales` */
  et_fb_vector inline_scales;
  bool is_bf16; /* whether the inline scales are bfloat16 */
} et_xnn_quantization;

typedef struct et_xnn_value {
  et_xnn_dims dims; /* upper bounds, except for constants */
  size_t numel;
  uint8_t datatype;
  uint32_t constant; /* 0: not a constant */
  uint32_t external; /* argument index, or ET_XNN_NO_VALUE */
  uint32_t flags;
  et_xnn_quantization quantization;
} et_xnn_value;

/* Returns value `id`. Valid only if et_xnn_check_values() succeeded. */
et_xnn_value et_xnn_value_at(const et_xnn_graph *graph, uint32_t id);

/* Checks that all values are supported, and that each argument has exactly one value. */
et_status et_xnn_check_values(const et_xnn_graph *graph, et_error *error);

/* Returns the element type in memory. It is uint8 for packed 4-bit values and float32 for
 * dynamically quantized rows. */
et_scalar_type et_xnn_storage(const et_xnn_value *value);

bool et_xnn_is_8_bit(const et_xnn_value *value);    /* qint8, quint8 */
bool et_xnn_is_floating(const et_xnn_value *value); /* fp32, fp16, bf16 */
bool et_xnn_has_nibbles(const et_xnn_value *value); /* qcint4, qbint4 */

/* Sets *out to the number of elements. Returns false if there are 2^31 or more. */
bool et_xnn_count(const et_xnn_dims *dims, size_t *out);

/* Returns true if equal quantized values of both represent equal real values. */
bool et_xnn_same_quantization(const et_xnn_value *a, const et_xnn_value *b);

#endif /* BACKENDS_XNNPACK_RUNTIME_VALUE_H_ */
