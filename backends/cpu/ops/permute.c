/* Op permute: dimension i of y is dimension permutation[i] of x. */
#include "backends/cpu/schema/permute.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "runtime/core/arithmetic.h"

/* Side of a square tile, in elements. Transposes process tiles, because a tile of each tensor stays
 * in the L1 cache. */
#define SIDE 16

static et_status check_permutation(const et_cpu_permute_args *args,
                                   et_error *error) {
  const uint32_t *permutation = args->attributes.permutation;
  uint32_t seen = 0;
  for (uint8_t i = 0; i < args->x->rank; i++) {
    const uint32_t from = permutation[i];
    ET_CPU_CHECK(
        error, from < args->x->rank && (seen & 1u << from) == 0,
        "permute: attribute %d is %u, which is repeated or out of range "
        "for %d dims",
        (int)i, (unsigned)from, (int)args->x->rank);
    seen |= 1u << from;
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_permute_args args = et_cpu_permute_args_of(op);
  const et_cpu_tensor *x = args.x;
  ET_CPU_CHECK(error, args.attributes.permutation_count == x->rank,
               "permute: %zu attributes, expected one for each of %d dims",
               args.attributes.permutation_count, (int)x->rank);
  ET_RETURN_IF_ERROR(check_permutation(&args, error));
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < x->rank; i++) {
    sizes[i] = x->sizes[args.attributes.permutation[i]];
  }
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, args.y, (et_scalar_type)x->dtype, error));
  return et_cpu_check_shape(op, args.y, x->rank, sizes, error);
}

/* Dimensions of the output, with strides of x in elements. Dimensions that are adjacent in both y
 * and x are joined. */
typedef struct work {
  const char *x;
  char *y;
  size_t element; /* size of an element in bytes */
  size_t rank;
  size_t sizes[ET_CPU_MAX_RANK];
  size_t strides[ET_CPU_MAX_RANK];
  size_t column; /* dimension with stride 1 in x */
  size_t rows;   /* positions along `column` in a tile */
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

/* Returns the number of rows of a tile. A tile with fewer than SIDE columns has the area of four
 * square tiles. */
static size_t rows_of_tile(size_t columns) {
  return columns > 0 && columns < SIDE ? 4 * SIDE * SIDE / columns : SIDE;
}

static work plan(const et_cpu_permute_args *args) {
  const et_cpu_tensor *x = args->x;
  work w = {.x = x->data,
            .y = args->y->data,
            .element = et_scalar_type_size(x->dtype)};
  size_t strides[ET_CPU_MAX_RANK] = {0};
  size_t stride = 1;
  for (size_t i = x->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= (size_t)x->sizes[i];
  }
  for (size_t i = 0; i < x->rank; i++) {
    const uint32_t from = args->attributes.permutation[i];
    add_dim(&w, (size_t)x->sizes[from], strides[from]);
  }
  while (w.rank < 2) { /* Treat a row or a scalar as a matrix. */
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
  w.rows = rows_of_tile(w.sizes[w.rank - 1]);
  return w;
}

/* Transposes a tile: to[i][j] = from[j * stride + i]. */
#define DEFINE_TRANSPOSE(type)                                                 \
  static void transpose_##type(const void *from, size_t from_stride, void *to, \
                               size_t to_stride, size_t rows,                  \
                               size_t columns) {                               \
    const type *x = from;                                                      \
    type *y = to;                                                              \
    for (size_t j = 0; columns < rows && j < columns; j++) {                   \
      for (size_t i = 0; i < rows; i++) {                                      \
        y[i * to_stride + j] = x[j * from_stride + i];                         \
      }                                                                        \
    }                                                                          \
    for (size_t i = 0; columns >= rows && i < rows; i++) {                     \
      for (size_t j = 0; j < columns; j++) {                                   \
        y[i * to_stride + j] = x[j * from_stride + i];                         \
      }                                                                        \
    }                                                                          \
  }
DEFINE_TRANSPOSE(uint8_t)
DEFINE_TRANSPOSE(uint16_t)
DEFINE_TRANSPOSE(uint32_t)
DEFINE_TRANSPOSE(uint64_t)

/* Number of pixels with three 8-bit channels per iteration. */
#define PIXELS 16

typedef uint8_t bytes __attribute__((vector_size(PIXELS)));
typedef uint16_t pairs __attribute__((vector_size(PIXELS)));
typedef uint64_t twos __attribute__((vector_size(PIXELS)));

#define LOW_BYTES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_BYTES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_PAIRS 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_PAIRS 4, 12, 5, 13, 6, 14, 7, 15

/* Stores the first three of the four bytes of four pixels. Overwrites the next two bytes of y. */
static inline void store_fours(pairs fours, uint8_t *y) {
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

/* Stores PIXELS pixels with three channels. Overwrites the next two bytes of y. */
static inline void store_pixels(const uint8_t *first, const uint8_t *second,
                                const uint8_t *third, uint8_t *y) {
  const bytes a = bytes_at(first), b = bytes_at(second), c = bytes_at(third);
  const bytes none = {0};
  const pairs low = (pairs)__builtin_shufflevector(a, b, LOW_BYTES);
  const pairs high = (pairs)__builtin_shufflevector(a, b, HIGH_BYTES);
  const pairs c_low = (pairs)__builtin_shufflevector(c, none, LOW_BYTES);
  const pairs c_high = (pairs)__builtin_shufflevector(c, none, HIGH_BYTES);
  store_fours(__builtin_shufflevector(low, c_low, LOW_PAIRS), y);
  store_fours(__builtin_shufflevector(low, c_low, HIGH_PAIRS), y + 12);
  store_fours(__builtin_shufflevector(high, c_high, LOW_PAIRS), y + 24);
  store_fours(__builtin_shufflevector(high, c_high, HIGH_PAIRS), y + 36);
}

/* Interleaves three 8-bit channels, as for an RGB image in NHWC layout. Later stores
 * replace the two bytes that store_pixels() overwrites. */
static void interleave_three(const void *from, size_t from_stride, void *to,
                             size_t to_stride, size_t rows) {
  const uint8_t *first = from;
  const uint8_t *second = first + from_stride;
  const uint8_t *third = second + from_stride;
  uint8_t *y = to;
  size_t i = 0;
  if (to_stride == 3 && rows > PIXELS) {
    const size_t last = rows - 1; /* stored separately */
    for (; i < last; i += PIXELS) {
      const size_t at = i + PIXELS <= last ? i : last - PIXELS;
      store_pixels(first + at, second + at, third + at, y + 3 * at);
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

static void transpose(size_t element, const void *from, size_t from_stride,
                      void *to, size_t to_stride, size_t rows, size_t columns) {
  switch (element) {
    case 1:
      if (columns == 3) {
        interleave_three(from, from_stride, to, to_stride, rows);
        return;
      }
      transpose_uint8_t(from, from_stride, to, to_stride, rows, columns);
      return;
    case 2:
      transpose_uint16_t(from, from_stride, to, to_stride, rows, columns);
      return;
    case 4:
      transpose_uint32_t(from, from_stride, to, to_stride, rows, columns);
      return;
    default:
      transpose_uint64_t(from, from_stride, to, to_stride, rows, columns);
      return;
  }
}

/* Returns the stride of dimension `dim` of the output. */
static size_t out_stride(const work *w, size_t dim) {
  size_t stride = 1;
  for (size_t i = dim + 1; i < w->rank; i++) {
    stride *= w->sizes[i];
  }
  return stride;
}

/* Transposes a strip: `rows` positions of x's last dimension, and the output's whole last
 * dimension. */
static void transpose_strip(const work *w, const char *from, char *to,
                            size_t rows) {
  const size_t last = w->rank - 1;
  const size_t to_stride = out_stride(w, w->column);
  for (size_t j = 0; j < w->sizes[last]; j += SIDE) {
    transpose(w->element, from + j * w->strides[last] * w->element,
              w->strides[last], to + j * w->element, to_stride, rows,
              et_min_size(SIDE, w->sizes[last] - j));
  }
}

/* A chunk is one position in all dimensions of the output except the last one, and a tile of
 * positions in x's last dimension. */
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
    rows = i == w->column ? et_min_size(w->rows, w->sizes[i] - at) : rows;
    from += at * w->strides[i] * w->element;
    to += at * stride;
    stride *= w->sizes[i];
    index /= parts;
  }
  if (w->column == w->rank - 1) {
    memcpy(to, from, w->sizes[w->column] * w->element);
  } else {
    transpose_strip(w, from, to, rows);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_permute_args args = et_cpu_permute_args_of(op);
  if (args.x->numel == 0) {
    return;
  }
  work w = plan(&args);
  size_t chunks = 1;
  for (size_t i = 0; i + 1 < w.rank; i++) {
    chunks *= et_cpu_parts(w.sizes[i], i == w.column ? w.rows : 1);
  }
  et_cpu_for_each(run, chunks, run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_permute_schema, check, run};
const et_backend_part et_cpu_op_permute = {ET_CPU_OP_PERMUTE, &op_type};
