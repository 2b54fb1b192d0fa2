/* Values of the graph as declared by the payload. */
#ifndef BACKENDS_XNNPACK_RUNTIME_VALUE_H_
#define BACKENDS_XNNPACK_RUNTIME_VALUE_H_

#include "backends/xnnpack/runtime/graph.h"
#include "executorch/scalar_type.h"

#define ET_XNN_MAX_DIMS 6
#define ET_XNN_NO_VALUE UINT32_MAX

/* Datatypes, numbered as in the schema. */
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

/* Quantization of a value. */
typedef struct et_xnn_quantization {
  uint8_t by;         /* ET_XNN_BY_... (schema.h); 0 if not quantized */
  float scale;        /* with ET_XNN_BY_TENSOR */
  int32_t zero_point; /* with ET_XNN_BY_TENSOR */
  uint32_t dim;       /* dimension of the channels */
  uint32_t row_dims;  /* number of trailing dimensions that form a row */
  uint32_t group;     /* number of elements per scale */
  uint32_t count;     /* number of scales */
  /* Constant that holds the scales; 0 if they are in `inline_scales`. */
  uint32_t constant;
  et_fb_vector inline_scales;
  bool is_bf16; /* whether `inline_scales` are bfloat16 */
} et_xnn_quantization;

typedef struct et_xnn_value {
  et_xnn_dims dims; /* for a constant, its sizes; otherwise, upper bounds */
  size_t numel;
  uint8_t datatype;
  uint32_t constant; /* index of the constant's data; 0 if not a constant */
  uint32_t external; /* argument index, or ET_XNN_NO_VALUE */
  uint32_t flags;    /* ET_XNN_EXTERNAL_... */
  et_xnn_quantization quantization;
} et_xnn_value;

/* Returns value `id`. et_xnn_check_values() must have succeeded. */
et_xnn_value et_xnn_value_at(const et_xnn_graph *graph, uint32_t id);

/* Checks that all values are supported, and that each argument has exactly one value. */
et_status et_xnn_check_values(const et_xnn_graph *graph, et_error *error);

/* Returns the dtype in which elements are stored. Packed 4-bit values are uint8, and dynamically
 * quantized rows are float32. */
et_scalar_type et_xnn_storage(const et_xnn_value *value);

bool et_xnn_is_8_bit(const et_xnn_value *value);    /* qint8, quint8 */
bool et_xnn_is_floating(const et_xnn_value *value); /* fp32, fp16, bf16 */
bool et_xnn_has_nibbles(const et_xnn_value *value); /* qcint4, qbint4 */

/* Sets *out to the number of elements. Returns false if it is 2^31 or more. */
bool et_xnn_count(const et_xnn_dims *dims, size_t *out);

/* Returns true if a quantized value represents the same real value in `a` and `b`. */
bool et_xnn_same_quantization(const et_xnn_value *a, const et_xnn_value *b);

#endif /* BACKENDS_XNNPACK_RUNTIME_VALUE_H_ */
