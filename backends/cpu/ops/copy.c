/* Step copy: each input, in steps of its own, to a place of its own in the
 * output: slices, concatenation, padding, expansion, flips. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

/* Attributes: whether what no input reaches is filled (else it is zero), with which float; then
 * for each input and dim the op in which it is read, 0 for the same again.
 * Dims: for each input and dim where reading and where writing begins. */
enum { FILLS, VALUE, STEPS };

#define MOST_INPUTS 64
#define CHUNK 64 /* rows */

static const et_cpu_tensor *output(const et_cpu_op *op) {
  return op->tensors[op->input_count];
}

static et_status check(const et_cpu_op *op, et_error *error) {
  /* Where there is no output, what would be it is not looked at. */
  const size_t rank = op->output_count == 1 ? output(op)->rank : 0;
  const size_t places = op->input_count * rank;
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = MOST_INPUTS,
                                .outputs = 1,
                                .dims = (uint16_t)(2 * places),
                                .attributes = (uint16_t)(STEPS + places)};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, FILLS, 0, 1, error));
  for (size_t i = 0; i < op->input_count; i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_tensor(
        op, i, (et_scalar_type)output(op)->dtype, (uint8_t)rank, error));
  }
  ET_CPU_CHECK(
      error,
      op->attributes[FILLS] == 0 || output(op)->dtype == ET_SCALAR_TYPE_FLOAT32,
      "copy: %s is filled, expected float32",
      et_scalar_type_name(output(op)->dtype));
  return ET_STATUS_OK;
}

/* One input: the last dim is a row. Offsets and strides are in elements. */
typedef struct work {
  const char *x;
  char *y;
  size_t element; /* bytes */
  size_t rank;
  size_t counts[ET_CPU_MAX_RANK];
  ptrdiff_t x_strides[ET_CPU_MAX_RANK];
  size_t y_strides[ET_CPU_MAX_RANK];
  size_t rows;
} work;

/* How many elements of a dim are copied: what there is of both. Whatever
 * `from` and `step` are, nothing beyond is touched. */
static size_t count_of(int64_t x_size, int64_t y_size, int64_t from, int64_t to,
                       int64_t step) {
  const bool inside = from >= 0 && from < x_size && to >= 0 && to < y_size;
  if (!inside) {
    return 0;
  }
  const int64_t room = y_size - to;
  if (step == 0) {
    return (size_t)room;
  }
  const int64_t there =
      step > 0 ? (x_size - from + step - 1) / step : from / -step + 1;
  return (size_t)(there < room ? there : room);
}

static size_t stride_of(const et_cpu_tensor *x, size_t dim) {
  size_t stride = 1;
  for (size_t i = dim + 1; i < x->rank; i++) {
    stride *= (size_t)x->sizes[i];
  }
  return stride;
}

static void set_dim(work *w, const et_cpu_op *op, size_t input, size_t dim) {
  const et_cpu_tensor *x = op->tensors[input];
  const et_cpu_tensor *y = output(op);
  const size_t at = input * y->rank + dim;
  const int64_t by = et_cpu_attribute(op, STEPS + at);
  const int64_t from = *op->dims[2 * at];
  const int64_t to = *op->dims[2 * at + 1];
  const size_t x_stride = stride_of(x, dim);
  w->counts[dim] = count_of(x->sizes[dim], y->sizes[dim], from, to, by);
  w->y_strides[dim] = stride_of(y, dim);
  w->x_strides[dim] = (ptrdiff_t)by * (ptrdiff_t)x_stride;
  if (w->counts[dim] > 0) {
    w->x += (size_t)from * x_stride * w->element;
    w->y += (size_t)to * w->y_strides[dim] * w->element;
  }
}

/* Lets dims whose elements follow each other on both sides be one row. */
static void join_dims(work *w) {
  while (w->rank > 1) {
    const size_t last = w->rank - 1;
    const size_t count = w->counts[last];
    if (w->x_strides[last] != 1 || w->y_strides[last - 1] != count ||
        w->x_strides[last - 1] != (ptrdiff_t)count) {
      return;
    }
    w->counts[last - 1] *= count;
    w->x_strides[last - 1] = 1;
    w->y_strides[last - 1] = 1;
    w->rank--;
  }
}

static work plan(const et_cpu_op *op, size_t input) {
  work w = {.x = op->tensors[input]->data,
            .y = output(op)->data,
            .element = et_scalar_type_size(output(op)->dtype),
            .rank = output(op)->rank,
            .counts = {1},
            .x_strides = {1},
            .rows = 1};
  for (size_t dim = 0; dim < w.rank; dim++) {
    set_dim(&w, op, input, dim);
  }
  w.rank = w.rank > 0 ? w.rank : 1; /* a number is a row of one */
  join_dims(&w);
  for (size_t dim = 0; dim + 1 < w.rank; dim++) {
    w.rows *= w.counts[dim];
  }
  return w;
}

static void copy_row(const work *w, size_t index) {
  const size_t last = w->rank - 1;
  const ptrdiff_t element = (ptrdiff_t)w->element;
  const char *from = w->x;
  char *to = w->y;
  for (size_t dim = last; dim-- > 0;) {
    const size_t at = index % w->counts[dim];
    from += (ptrdiff_t)at * w->x_strides[dim] * element;
    to += at * w->y_strides[dim] * w->element;
    index /= w->counts[dim];
  }
  if (w->x_strides[last] == 1) {
    memcpy(to, from, w->counts[last] * w->element);
    return;
  }
  for (size_t i = 0; i < w->counts[last]; i++, to += element) {
    memcpy(to, from + (ptrdiff_t)i * w->x_strides[last] * element, w->element);
  }
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * CHUNK;
  for (size_t i = 0; i < et_cpu_part(w->rows, CHUNK, index); i++) {
    copy_row(w, first + i);
  }
}

static void fill(const et_cpu_op *op) {
  uint32_t *y = output(op)->data;
  for (size_t i = 0; i < output(op)->numel; i++) {
    y[i] = op->attributes[VALUE];
  }
}

typedef struct range {
  int64_t begin;
  int64_t count;
} range;

/* The range of y that an input fills in a dim; count 0 if none. */
static range range_of(const et_cpu_op *op, size_t input, size_t dim) {
  const size_t at = input * output(op)->rank + dim;
  const int64_t to = *op->dims[2 * at + 1];
  const size_t count =
      count_of(op->tensors[input]->sizes[dim], output(op)->sizes[dim],
               *op->dims[2 * at], to, et_cpu_attribute(op, STEPS + at));
  return (range){to, (int64_t)count};
}

/* Whether the inputs fill y: they follow each other along the first dim that input 0
 * does not fill, and each fills all other dims. Other ways to fill y are not
 * recognized. */
static bool is_covered(const et_cpu_op *op) {
  const et_cpu_tensor *y = output(op);
  size_t along = 0;
  int64_t end = 0;
  while (along + 1 < y->rank &&
         range_of(op, 0, along).count == y->sizes[along]) {
    along++;
  }
  for (size_t i = 0; i < op->input_count; i++) {
    for (size_t dim = 0; dim < y->rank; dim++) {
      const range r = range_of(op, i, dim);
      if (dim != along ? r.count != y->sizes[dim] : r.begin != end) {
        return false;
      }
      end += dim == along ? r.count : 0;
    }
  }
  return y->rank == 0 || end == y->sizes[along];
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  if (op->attributes[FILLS] != 0) {
    fill(op);
  } else if (output(op)->bytes > 0 && !is_covered(op)) {
    memset(output(op)->data, 0, output(op)->bytes);
  }
  for (size_t i = 0; i < op->input_count; i++) {
    work w = plan(op, i);
    if (w.counts[w.rank - 1] > 0) {
      et_cpu_for_each(run, et_cpu_parts(w.rows, CHUNK), run_chunk, &w);
    }
  }
}

static const et_cpu_op_type op_type = {"copy", check, run, 0, NULL};
const et_backend_part et_cpu_op_copy = {ET_CPU_OP_COPY, &op_type};
