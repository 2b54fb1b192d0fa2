/* A value of the graph as the payload declares it. */
#ifndef BACKENDS_XNNPACK_RUNTIME_VALUE_H_
#define BACKENDS_XNNPACK_RUNTIME_VALUE_H_

#include "backends/xnnpack/runtime/graph.h"
#include "executorch/scalar_type.h"

#define ET_XNN_MOST_DIMS 6
#define ET_XNN_NO_VALUE UINT32_MAX

/* Numbers of the schema. */
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
  ET_XNN_QDINT8, /* rows become bytes by their own range when they are read */
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
  int32_t sizes[ET_XNN_MOST_DIMS];
} et_xnn_dims;

/* By what codes stand for numbers; the tags of the schema, 0 for plain numbers. */
typedef struct et_xnn_quantization {
  uint8_t by;
  float scale;        /* of the tensor */
  int32_t zero_point; /* of the tensor */
  uint32_t dim;       /* of the channels */
  uint32_t row_dims;  /* last dims that are a row */
  uint32_t group;     /* elements of one scale */
  uint32_t count;     /* scales */
  uint32_t constant;  /* that has them; 0: they stand in `inline_scales` */
  et_fb_vector inline_scales;
  bool is_bf16; /* the inline scales are the upper halves of floats */
} et_xnn_quantization;

typedef struct et_xnn_value {
  et_xnn_dims dims; /* upper bounds, of what is no constant */
  size_t numel;
  uint8_t datatype;
  uint32_t constant; /* 0: it is none */
  uint32_t external; /* argument, or ET_XNN_NO_VALUE */
  uint32_t flags;
  et_xnn_quantization quantization;
} et_xnn_value;

/* Value `id`, which et_xnn_check_values has seen. */
et_xnn_value et_xnn_value_at(const et_xnn_graph *graph, uint32_t id);

/* That all values are what this backend knows, and externals are numbered. */
et_status et_xnn_check_values(const et_xnn_graph *graph, et_error *error);

/* As which its elements lie in memory. Codes of four bits, two a byte, are uint8;
 * rows that are to become bytes are float32. */
et_scalar_type et_xnn_storage(const et_xnn_value *value);

bool et_xnn_is_bytes(const et_xnn_value *value);    /* qint8, quint8 */
bool et_xnn_is_floating(const et_xnn_value *value); /* fp32, fp16, bf16 */
bool et_xnn_has_nibbles(const et_xnn_value *value); /* qcint4, qbint4 */

/* Sets *out to the product of the sizes; false when it is 2^31 or more. */
bool et_xnn_count(const et_xnn_dims *dims, size_t *out);

/* Values of one quantization: bytes of one stand for the same in the other. */
bool et_xnn_same_quantization(const et_xnn_value *a, const et_xnn_value *b);

#endif /* BACKENDS_XNNPACK_RUNTIME_VALUE_H_ */
