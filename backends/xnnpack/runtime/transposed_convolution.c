/* Op transposed_convolution: gradient of a convolution with respect to its input. Each output pixel
 * gathers its taps. Attributes and tensors are those of conv_f32 with NHWC input and no residual;
 * only the image sizes differ. */
#include "backends/cpu/schema/transposed_convolution.h"
#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_transposed_convolution_args *args,
                               et_error *error) {
  const int32_t *kernel = args->attributes.window.kernel;
  const int64_t groups = args->attributes.groups;
  const int64_t channels = args->x->sizes[3];
  const int64_t columns = args->y->sizes[3];
  ET_CPU_CHECK(
      error, channels % groups == 0 && columns % groups == 0,
      "transposed_convolution: %lld input and %lld output channels cannot be "
      "split evenly into %lld groups",
      (long long)channels, (long long)columns, (long long)groups);
  const int64_t panels = (columns / groups + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  const int64_t depth = (int64_t)kernel[0] * kernel[1] * (channels / groups);
  const int64_t packed[4] = {groups, panels, depth, ET_CPU_PANEL};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 4, packed, error));
  return et_cpu_check_elements(op, args->bias, groups * panels * ET_CPU_PANEL,
                               error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_transposed_convolution_args args =
      et_cpu_transposed_convolution_args_of(op);
  ET_CPU_CHECK(error, !args.attributes.planar && args.residual == NULL,
               "transposed_convolution: planar input and residuals are not "
               "supported");
  ET_RETURN_IF_ERROR(et_cpu_check_same_batch(op, args.x, args.y, error));
  return check_weights(op, &args, error);
}

typedef struct work {
  et_cpu_window window;
  const float *x;
  const float *panels;
  const float *bias;
  float *y;
  size_t groups;
  size_t channels; /* channels per group */
  size_t columns;  /* columns per group */
  et_cpu_activation activation;
} work;

/* Returns the input pixel that contributes to output pixel `at` through tap `tap` along an axis, or
 * SIZE_MAX if it does not exist. */
static size_t source(size_t at, size_t before, size_t tap, size_t dilation,
                     size_t stride, size_t size) {
  const size_t reach = tap * dilation;
  if (at + before < reach || (at + before - reach) % stride != 0) {
    return SIZE_MAX;
  }
  const size_t pixel = (at + before - reach) / stride;
  return pixel < size ? pixel : SIZE_MAX;
}

static void add_tap(const work *w, const float *x, const float *panel,
                    float sums[ET_CPU_PANEL]) {
  for (size_t c = 0; c < w->channels; c++) {
    for (size_t i = 0; i < ET_CPU_PANEL; i++) {
      sums[i] += x[c] * panel[c * ET_CPU_PANEL + i];
    }
  }
}

/* Accumulates one panel of one output pixel. `image` points to the first channel of the group. */
static void add_taps(const work *w, const float *image, size_t y, size_t x,
                     const float *panel, float sums[ET_CPU_PANEL]) {
  const et_cpu_window *v = &w->window;
  const size_t pitch = w->groups * w->channels;
  for (size_t ky = 0; ky < v->kernel_y; ky++) {
    const size_t row =
        source(y, v->top, ky, v->dilation_y, v->stride_y, v->height);
    for (size_t kx = 0; row != SIZE_MAX && kx < v->kernel_x; kx++) {
      const size_t column =
          source(x, v->left, kx, v->dilation_x, v->stride_x, v->width);
      if (column != SIZE_MAX) {
        add_tap(w, image + (row * v->width + column) * pitch,
                panel + (ky * v->kernel_x + kx) * w->channels * ET_CPU_PANEL,
                sums);
      }
    }
  }
}

static void store(const work *w, const float sums[ET_CPU_PANEL], float *y,
                  size_t count) {
  const float low = et_cpu_clamp_low(&w->activation);
  const float high = et_cpu_clamp_high(&w->activation);
  for (size_t i = 0; i < count; i++) {
    const float min = sums[i] < low ? low : sums[i];
    y[i] = min > high ? high : min;
  }
}

static void run_pixel(const work *w, const float *image, size_t y, size_t x,
                      float *out) {
  const size_t taps = w->window.kernel_y * w->window.kernel_x * w->channels;
  const size_t panels = et_cpu_parts(w->columns, ET_CPU_PANEL);
  for (size_t i = 0; i < w->groups * panels; i++) {
    const size_t group = i / panels;
    const size_t first = i % panels * ET_CPU_PANEL;
    float sums[ET_CPU_PANEL];
    for (size_t k = 0; k < ET_CPU_PANEL; k++) {
      sums[k] = w->bias[i * ET_CPU_PANEL + k];
    }
    add_taps(w, image + group * w->channels, y, x,
             w->panels + i * taps * ET_CPU_PANEL, sums);
    store(w, sums, out + group * w->columns + first,
          et_cpu_part(w->columns, ET_CPU_PANEL, i % panels));
  }
}

static void run_row(void *data, size_t index) {
  const work *w = data;
  const et_cpu_window *v = &w->window;
  const size_t pitch = w->groups * w->columns;
  const float *image = w->x + index / v->out_height * v->height * v->width *
                                  w->groups * w->channels;
  for (size_t x = 0; x < v->out_width; x++) {
    run_pixel(w, image, index % v->out_height, x,
              w->y + (index * v->out_width + x) * pitch);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_transposed_convolution_args args =
      et_cpu_transposed_convolution_args_of(op);
  const et_cpu_tensor *x = args.x;
  const et_cpu_tensor *y = args.y;
  const size_t groups = (size_t)args.attributes.groups;
  work w = {.window = et_cpu_window_of(&args.attributes.window, x->sizes + 1,
                                       y->sizes + 1),
            .x = x->data,
            .panels = args.weights->data,
            .bias = args.bias->data,
            .y = y->data,
            .groups = groups,
            .channels = (size_t)x->sizes[3] / groups,
            .columns = (size_t)y->sizes[3] / groups,
            .activation = args.attributes.activation};
  et_cpu_for_each(run, (size_t)y->sizes[0] * w.window.out_height, run_row, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_transposed_convolution_schema,
                                       check, run};
const et_backend_part et_xnn_op_transposed_convolution = {0, &op_type};
