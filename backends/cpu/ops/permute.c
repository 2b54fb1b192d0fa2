/* Op permute: out[i0, i1, ...] = x at the dims in another order. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

enum { X, Y };

/* A side of the squares in which two dims are exchanged: both sides of one stay
 * in the nearest cache. */
#define SIDE 16

static et_status check_order(const et_cpu_op *op, et_error *error) {
  const et_cpu_tensor *x = op->tensors[X];
  uint32_t seen = 0;
  for (uint8_t i = 0; i < x->rank; i++) {
    const uint32_t from = op->attributes[i];
    ET_CPU_CHECK(error, from < x->rank && (seen & 1u << from) == 0,
                 "permute: attribute %d is %u, no permutation of %d dims",
                 (int)i, from, (int)x->rank);
    seen |= 1u << from;
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = 1,
                                .outputs = 1,
                                .attributes = op->attribute_count};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *x = op->tensors[X];
  ET_CPU_CHECK(error, op->attribute_count == x->rank,
               "permute: %d attributes for %d dims", (int)op->attribute_count,
               (int)x->rank);
  ET_RETURN_IF_ERROR(check_order(op, error));
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < x->rank; i++) {
    sizes[i] = x->sizes[op->attributes[i]];
  }
  return et_cpu_check_sizes(op, Y, (et_scalar_type)x->dtype, x->rank, sizes,
                            error);
}

/* Dims of the output, those that stay neighbours as one, in elements of x. */
typedef struct work {
  const char *x;
  char *y;
  size_t element; /* bytes */
  size_t rank;
  size_t sizes[ET_CPU_MAX_RANK];
  size_t strides[ET_CPU_MAX_RANK];
  size_t column; /* the dim that is the last one of x */
  size_t rows;   /* positions of it at once */
} work;

static void add_dim(work *w, size_t size, size_t stride) {
  if (size == 1) {
    return;
  }
  if (w->rank > 0 && w->strides[w->rank - 1] == stride * size) {
    w->sizes[w->rank - 1] *= size;
    w->strides[w->rank - 1] = stride;
    return;
  }
  w->sizes[w->rank] = size;
  w->strides[w->rank] = stride;
  w->rank++;
}

/* Of few columns as many as four squares have elements. */
static size_t rows_at_once(size_t columns) {
  return columns > 0 && columns < SIDE ? 4 * SIDE * SIDE / columns : SIDE;
}

static work plan(const et_cpu_op *op) {
  const et_cpu_tensor *x = op->tensors[X];
  work w = {.x = x->data,
            .y = op->tensors[Y]->data,
            .element = et_scalar_type_size(x->dtype)};
  size_t strides[ET_CPU_MAX_RANK] = {0};
  size_t stride = 1;
  for (size_t i = x->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= (size_t)x->sizes[i];
  }
  for (size_t i = 0; i < x->rank; i++) {
    const uint32_t from = op->attributes[i];
    add_dim(&w, (size_t)x->sizes[from], strides[from]);
  }
  while (w.rank < 2) { /* a row, or an element, as a matrix */
    memmove(w.sizes + 1, w.sizes, w.rank * sizeof(size_t));
    memmove(w.strides + 1, w.strides, w.rank * sizeof(size_t));
    w.sizes[0] = 1;
    w.strides[0] = w.rank > 0 ? stride : 1;
    w.rank++;
  }
  for (size_t i = 0; i < w.rank; i++) {
    if (w.strides[i] == 1) {
      w.column = i;
    }
  }
  w.rows = rows_at_once(w.sizes[w.rank - 1]);
  return w;
}

/* to[i][j] = from[j * stride + i] for a square, or a few long columns. */
#define DEFINE_TURN(type)                                                  \
  static void turn_##type(const void *from, size_t from_stride, void *to,  \
                          size_t to_stride, size_t rows, size_t columns) { \
    const type *x = from;                                                  \
    type *y = to;                                                          \
    for (size_t j = 0; columns < rows && j < columns; j++) {               \
      for (size_t i = 0; i < rows; i++) {                                  \
        y[i * to_stride + j] = x[j * from_stride + i];                     \
      }                                                                    \
    }                                                                      \
    for (size_t i = 0; columns >= rows && i < rows; i++) {                 \
      for (size_t j = 0; j < columns; j++) {                               \
        y[i * to_stride + j] = x[j * from_stride + i];                     \
      }                                                                    \
    }                                                                      \
  }
DEFINE_TURN(uint8_t)
DEFINE_TURN(uint16_t)
DEFINE_TURN(uint32_t)
DEFINE_TURN(uint64_t)

/* Pixels of three bytes that are put together at once. */
#define PIXELS 16

typedef uint8_t bytes __attribute__((vector_size(PIXELS)));
typedef uint16_t pairs __attribute__((vector_size(PIXELS)));
typedef uint64_t twos __attribute__((vector_size(PIXELS)));

#define LOW_BYTES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_BYTES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_PAIRS 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_PAIRS 4, 12, 5, 13, 6, 14, 7, 15

/* Four pixels of four bytes each without the last ones; writes two bytes more. */
static inline void put_fours(pairs fours, uint8_t *y) {
  const twos x = (twos)fours;
  const twos threes = (x & 0xffffff) | ((x >> 8) & 0xffffff000000);
  memcpy(y, &threes, 8);
  const uint64_t last = threes[1];
  memcpy(y + 6, &last, 8);
}

static inline bytes bytes_at(const uint8_t *from) {
  bytes x;
  memcpy(&x, from, sizeof(x));
  return x;
}

/* PIXELS pixels of three planes, and two bytes more. */
static inline void put_pixels(const uint8_t *first, const uint8_t *second,
                              const uint8_t *third, uint8_t *y) {
  const bytes a = bytes_at(first), b = bytes_at(second), c = bytes_at(third);
  const bytes none = {0};
  const pairs low = (pairs)__builtin_shufflevector(a, b, LOW_BYTES);
  const pairs high = (pairs)__builtin_shufflevector(a, b, HIGH_BYTES);
  const pairs c_low = (pairs)__builtin_shufflevector(c, none, LOW_BYTES);
  const pairs c_high = (pairs)__builtin_shufflevector(c, none, HIGH_BYTES);
  put_fours(__builtin_shufflevector(low, c_low, LOW_PAIRS), y);
  put_fours(__builtin_shufflevector(low, c_low, HIGH_PAIRS), y + 12);
  put_fours(__builtin_shufflevector(high, c_high, LOW_PAIRS), y + 24);
  put_fours(__builtin_shufflevector(high, c_high, HIGH_PAIRS), y + 36);
}

/* As a picture's three channels of bytes: all three of a row at once. What is written beyond
 * some pixels is overwritten by the next one. */
static void turn_three(const void *from, size_t from_stride, void *to,
                       size_t to_stride, size_t rows) {
  const uint8_t *first = from;
  const uint8_t *second = first + from_stride;
  const uint8_t *third = second + from_stride;
  uint8_t *y = to;
  size_t i = 0;
  if (to_stride == 3 && rows > PIXELS) {
    const size_t last = rows - 1; /* is put alone */
    for (; i < last; i += PIXELS) {
      const size_t at = i + PIXELS <= last ? i : last - PIXELS;
      put_pixels(first + at, second + at, third + at, y + 3 * at);
    }
    i = last;
  }
  for (y += i * to_stride; i < rows; i++, y += to_stride) {
    const uint8_t a = first[i], b = second[i], c = third[i];
    y[0] = a;
    y[1] = b;
    y[2] = c;
  }
}

static void turn(size_t element, const void *from, size_t from_stride, void *to,
                 size_t to_stride, size_t rows, size_t columns) {
  switch (element) {
    case 1:
      if (columns == 3) {
        turn_three(from, from_stride, to, to_stride, rows);
        return;
      }
      turn_uint8_t(from, from_stride, to, to_stride, rows, columns);
      return;
    case 2:
      turn_uint16_t(from, from_stride, to, to_stride, rows, columns);
      return;
    case 4:
      turn_uint32_t(from, from_stride, to, to_stride, rows, columns);
      return;
    default:
      turn_uint64_t(from, from_stride, to, to_stride, rows, columns);
      return;
  }
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Elements of the output from one op of dim `dim` to the next. */
static size_t out_stride(const work *w, size_t dim) {
  size_t stride = 1;
  for (size_t i = dim + 1; i < w->rank; i++) {
    stride *= w->sizes[i];
  }
  return stride;
}

/* Exchanges x's last dim, `rows` positions of it, with the output's last. */
static void turn_strip(const work *w, const char *from, char *to, size_t rows) {
  const size_t last = w->rank - 1;
  const size_t to_stride = out_stride(w, w->column);
  for (size_t j = 0; j < w->sizes[last]; j += SIDE) {
    turn(w->element, from + j * w->strides[last] * w->element, w->strides[last],
         to + j * w->element, to_stride, rows,
         smaller(SIDE, w->sizes[last] - j));
  }
}

/* Chunk `index`: one position in all dims but the output's last; of x's last
 * dim, several positions. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const char *from = w->x;
  char *to = w->y;
  size_t rows = 1;
  size_t stride = w->sizes[w->rank - 1] * w->element;
  for (size_t i = w->rank - 1; i-- > 0;) {
    const size_t rows_per_part = i == w->column ? w->rows : 1;
    const size_t parts = et_cpu_parts(w->sizes[i], rows_per_part);
    const size_t at = index % parts * rows_per_part;
    rows = i == w->column ? smaller(w->rows, w->sizes[i] - at) : rows;
    from += at * w->strides[i] * w->element;
    to += at * stride;
    stride *= w->sizes[i];
    index /= parts;
  }
  if (w->column == w->rank - 1) {
    memcpy(to, from, w->sizes[w->column] * w->element);
  } else {
    turn_strip(w, from, to, rows);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  if (op->tensors[X]->numel == 0) {
    return;
  }
  work w = plan(op);
  size_t chunks = 1;
  for (size_t i = 0; i + 1 < w.rank; i++) {
    chunks *= et_cpu_parts(w.sizes[i], i == w.column ? w.rows : 1);
  }
  et_cpu_for_each(run, chunks, run_chunk, &w);
}

static const et_cpu_op_type op_type = {"permute", check, run, 0, NULL};
const et_backend_part et_cpu_op_permute = {ET_CPU_OP_PERMUTE, &op_type};
