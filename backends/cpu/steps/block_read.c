#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/block.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/window.h"

enum {
  X,
  EXPAND,
  EXPAND_BIAS,
  TAPS,
  TAP_BIAS,
  PROJECT,
  PROJECT_BIAS,
  RESIDUAL,
  INPUTS
};
enum {
  ROWS,
  PLANES,
  EXPAND_WINDOW,
  GROUPS = EXPAND_WINDOW + ET_CPU_WINDOW_WORDS,
  EXPAND_ACTIVATION,
  FILTER_WINDOW = EXPAND_ACTIVATION + ET_CPU_ACTIVATION_WORDS,
  FILTER_ACTIVATION = FILTER_WINDOW + ET_CPU_WINDOW_WORDS,
  PROJECT_ACTIVATION = FILTER_ACTIVATION + ET_CPU_ACTIVATION_WORDS,
  WORDS = PROJECT_ACTIVATION + ET_CPU_ACTIVATION_WORDS
};

/* More is of no use; within it no product below overflows. */
#define MOST_ROWS (1 << 20)

/* Sizes of a block that its tensors do not say by themselves. */
typedef struct sizes {
  int32_t in[2];       /* height and width of x */
  int32_t expanded[2]; /* of the expanded picture */
  int64_t channels;    /* of x */
  int64_t middle;      /* channels between */
  int64_t columns;     /* channels of the output */
} sizes;

static const et_cpu_tensor *output(const et_cpu_step *step) {
  return step->tensors[step->input_count];
}

static int64_t panel_count(int64_t columns) { return (columns + 15) / 16; }

static et_status check_attributes(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, ROWS, 1, MOST_ROWS, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, PLANES, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, GROUPS, 1, 1, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(step, FILTER_WINDOW, 1, ET_CPU_BLOCK_ROWS, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, EXPAND_ACTIVATION, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, FILTER_ACTIVATION, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, PROJECT_ACTIVATION, error));
  return et_cpu_check_window_words(step, EXPAND_WINDOW, error);
}

static et_status check_images(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, 4, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, PROJECT, ET_SCALAR_TYPE_FLOAT32, 3, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(step, step->input_count,
                                         ET_SCALAR_TYPE_FLOAT32, 4, error));
  const int32_t images = step->tensors[X]->sizes[0];
  ET_CPU_CHECK(error, images == output(step)->sizes[0],
               "block: %d images in, %d images out", (int)images,
               (int)output(step)->sizes[0]);
  return step->input_count == INPUTS
             ? et_cpu_check_same(step, RESIDUAL, step->input_count, error)
             : ET_STATUS_OK;
}

/* Reads the sizes of a block whose images and attributes were checked. */
static sizes read_sizes(const et_cpu_step *step) {
  const int32_t *x = step->tensors[X]->sizes;
  const size_t first = step->attributes[PLANES] != 0 ? 2 : 1;
  sizes s = {.in = {x[first], x[first + 1]},
             .channels = x[first == 2 ? 1 : 3],
             .middle = step->tensors[PROJECT]->sizes[1],
             .columns = output(step)->sizes[3]};
  for (size_t i = 0; i < 2; i++) {
    const int64_t outputs =
        et_cpu_window_outputs(step, EXPAND_WINDOW, i, s.in[i]);
    s.expanded[i] = outputs > INT32_MAX ? INT32_MAX : (int32_t)outputs;
  }
  return s;
}

static et_status check_expand(const et_cpu_step *step, const sizes *s,
                              et_error *error) {
  const int64_t taps = et_cpu_attribute(step, EXPAND_WINDOW) *
                       et_cpu_attribute(step, EXPAND_WINDOW + 1);
  const int64_t panels = panel_count(s->middle);
  const int64_t packed[4] = {1, panels, taps * s->channels, 16};
  ET_CPU_CHECK(error, s->expanded[0] < INT32_MAX && s->expanded[1] < INT32_MAX,
               "block: the expanded picture is too large");
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, EXPAND, ET_SCALAR_TYPE_FLOAT32, 4,
                                        packed, error));
  ET_RETURN_IF_ERROR(et_cpu_check_numel(
      step, EXPAND_BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16, error));
  const et_cpu_window window =
      et_cpu_read_window(step, EXPAND_WINDOW, s->in, s->expanded);
  ET_CPU_CHECK(error,
               step->attributes[PLANES] == 0 ||
                   et_cpu_planes_fit(&window, (size_t)s->channels),
               "block: windows of %zu x %zu over %lld planes are too large",
               window.kernel_y, window.kernel_x, (long long)s->channels);
  return ET_STATUS_OK;
}

static et_status check_filter(const et_cpu_step *step, const sizes *s,
                              et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_window(step, FILTER_WINDOW, s->expanded,
                                         output(step)->sizes + 1, error));
  const int64_t taps = et_cpu_attribute(step, FILTER_WINDOW) *
                       et_cpu_attribute(step, FILTER_WINDOW + 1);
  const int64_t panels = panel_count(s->middle);
  const int64_t packed[3] = {panels, taps, 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(step, TAPS, ET_SCALAR_TYPE_FLOAT32, 3, packed, error));
  return et_cpu_check_numel(step, TAP_BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

static et_status check_project(const et_cpu_step *step, const sizes *s,
                               et_error *error) {
  const int64_t panels = panel_count(s->columns);
  const int64_t packed[3] = {panels, s->middle, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, PROJECT, ET_SCALAR_TYPE_FLOAT32,
                                        3, packed, error));
  return et_cpu_check_numel(step, PROJECT_BIAS, ET_SCALAR_TYPE_FLOAT32,
                            panels * 16, error);
}

/* Rows of the expanded picture that the rows of a strip read. */
static int64_t ring_rows(const et_cpu_step *step) {
  return (et_cpu_attribute(step, ROWS) - 1) *
             et_cpu_attribute(step, FILTER_WINDOW + 2) +
         (et_cpu_attribute(step, FILTER_WINDOW) - 1) *
             et_cpu_attribute(step, FILTER_WINDOW + 8) +
         1;
}

static et_status check_workspace(const et_cpu_step *step, const sizes *s,
                                 et_error *error) {
  const size_t index = (size_t)step->input_count + 1;
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, index, ET_SCALAR_TYPE_FLOAT32, 2, error));
  const int32_t *space = step->tensors[index]->sizes;
  const int64_t filtered = output(step)->sizes[2];
  /* No product overflows: its factors are below 2^31 where they are looked at. */
  const int64_t ring = ring_rows(step);
  const bool fits =
      ring <= space[1] && s->expanded[1] <= space[1] &&
      ring * s->expanded[1] + et_cpu_attribute(step, ROWS) * filtered <=
          space[1] / (s->middle > 0 ? s->middle : 1);
  ET_CPU_CHECK(
      error, space[0] >= 1 && fits,
      "block: a workspace of %d x %d floats is too small for %lld rows "
      "of %d pixels and %lld of %lld, of %lld channels",
      (int)space[0], (int)space[1], (long long)ring, (int)s->expanded[1],
      (long long)et_cpu_attribute(step, ROWS), (long long)filtered,
      (long long)s->middle);
  return ET_STATUS_OK;
}

et_status et_cpu_check_block(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .workspaces = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(check_attributes(step, error));
  ET_RETURN_IF_ERROR(check_images(step, error));
  const sizes s = read_sizes(step);
  ET_RETURN_IF_ERROR(check_expand(step, &s, error));
  ET_RETURN_IF_ERROR(check_filter(step, &s, error));
  ET_RETURN_IF_ERROR(check_project(step, &s, error));
  return check_workspace(step, &s, error);
}

static et_cpu_expand_form find_form(const et_cpu_step *step,
                                    const et_cpu_window *w) {
  if (step->attributes[PLANES] != 0) {
    return ET_CPU_EXPAND_PLANES;
  }
  const bool is_point = w->kernel_y == 1 && w->kernel_x == 1 &&
                        w->stride_y == 1 && w->stride_x == 1 &&
                        w->out_height == w->height && w->out_width == w->width;
  return is_point ? ET_CPU_EXPAND_POINT : ET_CPU_EXPAND_WINDOW;
}

static et_cpu_convolution read_expand(const et_cpu_step *step, const sizes *s) {
  const et_cpu_convolution expand = {
      .window = et_cpu_read_window(step, EXPAND_WINDOW, s->in, s->expanded),
      .x = step->tensors[X]->data,
      .panels = step->tensors[EXPAND]->data,
      .bias = step->tensors[EXPAND_BIAS]->data,
      .channels = (size_t)s->channels,
      .columns = (size_t)s->middle,
      .groups = 1,
      .activation = et_cpu_read_activation(step, EXPAND_ACTIVATION)};
  return expand;
}

static et_cpu_product read_project(const et_cpu_step *step, const sizes *s) {
  const et_cpu_product project = {
      .panels = step->tensors[PROJECT]->data,
      .bias = step->tensors[PROJECT_BIAS]->data,
      .residual =
          step->input_count == INPUTS ? step->tensors[RESIDUAL]->data : NULL,
      .out = output(step)->data,
      .depth = (size_t)s->middle,
      .columns = (size_t)s->columns,
      .activation = et_cpu_read_activation(step, PROJECT_ACTIVATION)};
  return project;
}

et_cpu_block et_cpu_read_block(const et_cpu_step *step) {
  const sizes s = read_sizes(step);
  et_cpu_block block = {.expand = read_expand(step, &s),
                        .project = read_project(step, &s),
                        .rows = step->attributes[ROWS],
                        .ring = (size_t)ring_rows(step)};
  block.form = find_form(step, &block.expand.window);
  block.filter = (et_cpu_depthwise){
      .window = et_cpu_read_window(step, FILTER_WINDOW, s.expanded,
                                   output(step)->sizes + 1),
      .taps = step->tensors[TAPS]->data,
      .bias = step->tensors[TAP_BIAS]->data,
      .channels = (size_t)s.middle,
      .activation = et_cpu_read_activation(step, FILTER_ACTIVATION)};
  return block;
}
