#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/mbconv_f32.h"
#include "backends/cpu/ops/window.h"

/* Tensors of a block, counted from its first weight. */
enum { EXPAND, EXPAND_BIAS, TAPS, TAP_BIAS, PROJECT, PROJECT_BIAS, WEIGHTS };
/* Attributes of a block, counted from its first. */
enum {
  PLANES,
  EXPAND_WINDOW,
  GROUPS = EXPAND_WINDOW + ET_CPU_WINDOW_WORDS,
  EXPAND_ACTIVATION,
  FILTER_WINDOW = EXPAND_ACTIVATION + ET_CPU_ACTIVATION_WORDS,
  FILTER_ACTIVATION = FILTER_WINDOW + ET_CPU_WINDOW_WORDS,
  PROJECT_ACTIVATION = FILTER_ACTIVATION + ET_CPU_ACTIVATION_WORDS,
  WORDS = PROJECT_ACTIVATION + ET_CPU_ACTIVATION_WORDS
};

/* Of the op, before those of blocks. */
#define X 0
#define ROWS 0

/* More is of no use; within it no product below overflows. */
#define MOST_ROWS (1 << 20)

/* One block of an op, and the sizes that its tensors do not say by themselves. */
typedef struct part {
  const et_cpu_op *op;
  size_t index;
  int64_t rows;        /* of its output, at once */
  int32_t in[2];       /* height and width of what it reads */
  int32_t expanded[2]; /* of the expanded picture */
  int32_t out[2];
  int64_t channels; /* of what it reads */
  int64_t middle;   /* channels between */
  int64_t columns;  /* channels of its output */
} part;

static const et_cpu_tensor *output(const et_cpu_op *op) {
  return op->tensors[op->input_count];
}

size_t et_cpu_chained_blocks(const et_cpu_op *op) {
  return op->attribute_count / WORDS;
}

static size_t attribute_at(const part *p, size_t attribute) {
  return 1 + p->index * WORDS + attribute;
}

static int64_t attribute(const part *p, size_t index) {
  return et_cpu_attribute(p->op, attribute_at(p, index));
}

static size_t tensor_at(const part *p, size_t weight) {
  return 1 + p->index * WEIGHTS + weight;
}

static const et_cpu_tensor *tensor(const part *p, size_t weight) {
  return p->op->tensors[tensor_at(p, weight)];
}

static bool is_last(const part *p) {
  return p->index + 1 == et_cpu_chained_blocks(p->op);
}

static bool has_residual(const et_cpu_op *op) {
  return op->input_count > 1 + WEIGHTS * et_cpu_chained_blocks(op);
}

static int64_t panel_count(int64_t columns) { return (columns + 15) / 16; }

static bool is_point(const et_cpu_window *w) {
  return w->kernel_y == 1 && w->kernel_x == 1 && w->stride_y == 1 &&
         w->stride_x == 1 && w->out_height == w->height &&
         w->out_width == w->width;
}

static et_status check_attributes(const part *p, et_error *error) {
  const et_cpu_op *op = p->op;
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, attribute_at(p, PLANES), 0, 1, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, attribute_at(p, GROUPS), 1, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, attribute_at(p, FILTER_WINDOW),
                                            1, ET_CPU_MBCONV_ROWS, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_activation(op, attribute_at(p, EXPAND_ACTIVATION), error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_activation(op, attribute_at(p, FILTER_ACTIVATION), error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_activation(op, attribute_at(p, PROJECT_ACTIVATION), error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_window_words(op, attribute_at(p, EXPAND_WINDOW), error));
  return et_cpu_check_window_words(op, attribute_at(p, FILTER_WINDOW), error);
}

static et_status check_images(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_images(op, X, op->input_count, error));
  return has_residual(op) ? et_cpu_check_same(op, op->input_count - 1u,
                                              op->input_count, error)
                          : ET_STATUS_OK;
}

/* Weights whose sizes say what a block's are. */
static et_status check_ranks(const part *p, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(p->op, tensor_at(p, EXPAND),
                                         ET_SCALAR_TYPE_FLOAT32, 4, error));
  return et_cpu_check_tensor(p->op, tensor_at(p, PROJECT),
                             ET_SCALAR_TYPE_FLOAT32, 3, error);
}

static int32_t outputs_along(const part *p, size_t window, size_t axis,
                             int32_t in) {
  const int64_t outputs =
      et_cpu_window_outputs(p->op, attribute_at(p, window), axis, in);
  return outputs > INT32_MAX ? INT32_MAX : (int32_t)outputs;
}

static void find_pictures(part *p) {
  for (size_t i = 0; i < 2; i++) {
    p->expanded[i] = outputs_along(p, EXPAND_WINDOW, i, p->in[i]);
    p->out[i] = outputs_along(p, FILTER_WINDOW, i, p->expanded[i]);
  }
  p->middle = tensor(p, PROJECT)->sizes[1];
}

static part first_part(const et_cpu_op *op) {
  const int32_t *x = op->tensors[X]->sizes;
  const size_t first = op->attributes[1 + PLANES] != 0 ? 2 : 1;
  return (part){.op = op,
                .in = {x[first], x[first + 1]},
                .channels = x[first == 2 ? 1 : 3]};
}

/* Columns of a block that is not the last are the channels that the next one reads,
 * a product, and its rows are made one by one, as that one asks for them. */
static void find_columns(part *p) {
  const part next = {.op = p->op, .index = p->index + 1};
  p->rows = is_last(p) ? et_cpu_attribute(p->op, ROWS) : 1;
  p->columns =
      is_last(p) ? output(p->op)->sizes[3] : tensor(&next, EXPAND)->sizes[2];
}

static void find_sizes(part *p) {
  find_pictures(p);
  find_columns(p);
}

/* The block that reads what `p` writes. */
static part next_part(const part *p) {
  part next = {.op = p->op,
               .index = p->index + 1,
               .in = {p->out[0], p->out[1]},
               .channels = p->columns};
  find_sizes(&next);
  return next;
}

static et_cpu_window expand_window_of(const part *p) {
  return et_cpu_read_window(p->op, attribute_at(p, EXPAND_WINDOW), p->in,
                            p->expanded);
}

static et_status check_expand_form(const part *p, et_error *error) {
  const et_cpu_window window = expand_window_of(p);
  ET_CPU_CHECK(
      error,
      attribute(p, PLANES) == 0 ||
          et_cpu_conv_planar_fit(&window, (size_t)p->channels),
      "mbconv_f32: windows of %zu x %zu over %lld planes are too large",
      window.kernel_y, window.kernel_x, (long long)p->channels);
  ET_CPU_CHECK(
      error, p->index == 0 || (attribute(p, PLANES) == 0 && is_point(&window)),
      "mbconv_f32: part %zu expands windows of what the one before makes "
      "row by row",
      p->index);
  return ET_STATUS_OK;
}

static et_status check_expand(const part *p, et_error *error) {
  const int64_t taps =
      attribute(p, EXPAND_WINDOW) * attribute(p, EXPAND_WINDOW + 1);
  const int64_t panels = panel_count(p->middle);
  const int64_t packed[4] = {1, panels, taps * p->channels, 16};
  ET_CPU_CHECK(error, p->expanded[0] < INT32_MAX && p->expanded[1] < INT32_MAX,
               "mbconv_f32: the expanded picture is too large");
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(
      p->op, tensor_at(p, EXPAND), ET_SCALAR_TYPE_FLOAT32, 4, packed, error));
  ET_RETURN_IF_ERROR(et_cpu_check_numel(p->op, tensor_at(p, EXPAND_BIAS),
                                        ET_SCALAR_TYPE_FLOAT32, panels * 16,
                                        error));
  return check_expand_form(p, error);
}

static et_status check_filter(const part *p, et_error *error) {
  const int32_t *out = is_last(p) ? output(p->op)->sizes + 1 : p->out;
  ET_RETURN_IF_ERROR(et_cpu_check_window(p->op, attribute_at(p, FILTER_WINDOW),
                                         p->expanded, out, error));
  const int64_t taps =
      attribute(p, FILTER_WINDOW) * attribute(p, FILTER_WINDOW + 1);
  const int64_t panels = panel_count(p->middle);
  const int64_t packed[3] = {panels, taps, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(
      p->op, tensor_at(p, TAPS), ET_SCALAR_TYPE_FLOAT32, 3, packed, error));
  return et_cpu_check_numel(p->op, tensor_at(p, TAP_BIAS),
                            ET_SCALAR_TYPE_FLOAT32, panels * 16, error);
}

static et_status check_project(const part *p, et_error *error) {
  const int64_t panels = panel_count(p->columns);
  const int64_t packed[3] = {panels, p->middle, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(
      p->op, tensor_at(p, PROJECT), ET_SCALAR_TYPE_FLOAT32, 3, packed, error));
  return et_cpu_check_numel(p->op, tensor_at(p, PROJECT_BIAS),
                            ET_SCALAR_TYPE_FLOAT32, panels * 16, error);
}

/* Rows of the expanded picture that the rows made at once read. */
static int64_t ring_rows(const part *p) {
  return (p->rows - 1) * attribute(p, FILTER_WINDOW + 2) +
         (attribute(p, FILTER_WINDOW) - 1) * attribute(p, FILTER_WINDOW + 8) +
         1;
}

/* Takes the floats that a lane needs for the block off those that are `left`. No
 * product overflows: its factors are below 2^31 where they are looked at. */
static et_status check_room(const part *p, int64_t *left, et_error *error) {
  const int64_t ring = ring_rows(p);
  const int64_t middle = p->middle > 0 ? p->middle : 1;
  const int64_t row = is_last(p) ? 0 : p->out[1] * p->columns;
  const bool fits =
      ring <= *left && p->expanded[1] <= *left && p->out[1] <= *left &&
      row <= *left &&
      ring * p->expanded[1] + p->rows * p->out[1] <= (*left - row) / middle;
  ET_CPU_CHECK(
      error, fits,
      "mbconv_f32: a workspace of %d x %d floats is too small for %lld rows "
      "of %d pixels and %lld of %d, of %lld channels",
      (int)p->op->tensors[p->op->input_count + 1]->sizes[0],
      (int)p->op->tensors[p->op->input_count + 1]->sizes[1], (long long)ring,
      (int)p->expanded[1], (long long)p->rows, (int)p->out[1],
      (long long)p->middle);
  *left -= row + (ring * p->expanded[1] + p->rows * p->out[1]) * p->middle;
  return ET_STATUS_OK;
}

static et_status check_part(const part *p, int64_t *room, et_error *error) {
  ET_RETURN_IF_ERROR(check_expand(p, error));
  ET_RETURN_IF_ERROR(check_filter(p, error));
  ET_RETURN_IF_ERROR(check_project(p, error));
  return check_room(p, room, error);
}

/* Floats of a lane. */
static et_status read_room(const et_cpu_op *op, int64_t *out_room,
                           et_error *error) {
  const size_t index = (size_t)op->input_count + 1;
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, index, ET_SCALAR_TYPE_FLOAT32, 2, error));
  const int32_t *space = op->tensors[index]->sizes;
  ET_CPU_CHECK(error, space[0] >= 1, "mbconv_f32: a workspace of no lanes");
  *out_room = space[1];
  return ET_STATUS_OK;
}

static et_status check_parts(const et_cpu_op *op, et_error *error) {
  int64_t room = 0;
  ET_RETURN_IF_ERROR(read_room(op, &room, error));
  part p = first_part(op);
  find_sizes(&p);
  ET_RETURN_IF_ERROR(check_part(&p, &room, error));
  while (!is_last(&p)) {
    p = next_part(&p);
    ET_RETURN_IF_ERROR(check_part(&p, &room, error));
  }
  return ET_STATUS_OK;
}

/* What sizes are read by. */
static et_status check_shapes(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, ROWS, 1, MOST_ROWS, error));
  for (size_t i = 0; i < et_cpu_chained_blocks(op); i++) {
    const part p = {.op = op, .index = i};
    ET_RETURN_IF_ERROR(check_attributes(&p, error));
    ET_RETURN_IF_ERROR(check_ranks(&p, error));
  }
  return check_images(op, error);
}

/* An op of no blocks, or too many, is held to the counts of one, or most. */
static et_cpu_counts expected_counts(const et_cpu_op *op) {
  const size_t count = et_cpu_chained_blocks(op);
  const size_t blocks = count < 1                       ? 1
                        : count > ET_CPU_CHAINED_BLOCKS ? ET_CPU_CHAINED_BLOCKS
                                                        : count;
  const et_cpu_counts counts = {.inputs_least =
                                    (uint16_t)(1 + WEIGHTS * blocks),
                                .inputs_most = (uint16_t)(2 + WEIGHTS * blocks),
                                .outputs = 1,
                                .workspaces = 1,
                                .attributes = (uint16_t)(1 + WORDS * blocks)};
  return counts;
}

et_status et_cpu_check_block(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = expected_counts(op);
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(check_shapes(op, error));
  return check_parts(op, error);
}

static et_cpu_expand_form find_form(const part *p, const et_cpu_window *w) {
  if (attribute(p, PLANES) != 0) {
    return ET_CPU_EXPAND_PLANES;
  }
  return is_point(w) ? ET_CPU_EXPAND_POINT : ET_CPU_EXPAND_WINDOW;
}

static et_cpu_activation read_activation(const part *p, size_t index) {
  return et_cpu_read_activation(p->op, attribute_at(p, index));
}

static et_cpu_conv read_expand(const part *p) {
  const et_cpu_conv expand = {
      .window = expand_window_of(p),
      .x = p->index == 0 ? p->op->tensors[X]->data : NULL,
      .panels = tensor(p, EXPAND)->data,
      .bias = tensor(p, EXPAND_BIAS)->data,
      .channels = (size_t)p->channels,
      .columns = (size_t)p->middle,
      .groups = 1,
      .activation = read_activation(p, EXPAND_ACTIVATION)};
  return expand;
}

static et_cpu_dwconv read_filter(const part *p) {
  const et_cpu_dwconv filter = {
      .window = et_cpu_read_window(p->op, attribute_at(p, FILTER_WINDOW),
                                   p->expanded, p->out),
      .taps = tensor(p, TAPS)->data,
      .bias = tensor(p, TAP_BIAS)->data,
      .channels = (size_t)p->middle,
      .activation = read_activation(p, FILTER_ACTIVATION)};
  return filter;
}

static et_cpu_gemm read_project(const part *p) {
  const et_cpu_op *op = p->op;
  et_cpu_gemm project = {.panels = tensor(p, PROJECT)->data,
                         .bias = tensor(p, PROJECT_BIAS)->data,
                         .depth = (size_t)p->middle,
                         .columns = (size_t)p->columns,
                         .activation = read_activation(p, PROJECT_ACTIVATION)};
  if (is_last(p)) {
    project.out = output(op)->data;
    project.residual =
        has_residual(op) ? op->tensors[op->input_count - 1]->data : NULL;
  }
  return project;
}

et_cpu_block et_cpu_read_block(const et_cpu_op *op, size_t index) {
  part p = first_part(op);
  find_sizes(&p);
  while (p.index < index) {
    p = next_part(&p);
  }
  et_cpu_block block = {.expand = read_expand(&p),
                        .filter = read_filter(&p),
                        .project = read_project(&p),
                        .rows = (size_t)p.rows,
                        .ring = (size_t)ring_rows(&p)};
  block.form = find_form(&p, &block.expand.window);
  return block;
}
