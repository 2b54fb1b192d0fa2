#include "backends/cpu/schema/mbconv_f32.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t batch, channels, middle, columns;
  et_test_axis expand_y, expand_x; /* window from x to the expanded image */
  /* window from the expanded image to the output */
  et_test_axis y, x;
  bool planar, residual;
  int32_t rows, lanes;
} shape;

static int32_t panel_count(int32_t columns) { return (columns + 15) / 16; }

static void add_weights(et_test_op *test, const shape *s) {
  const int32_t middle = panel_count(s->middle);
  const int32_t depth = s->expand_y.kernel * s->expand_x.kernel * s->channels;
  const int32_t expand[4] = {1, middle, depth, 16};
  const int32_t bias[2] = {1, middle * 16};
  const int32_t taps[3] = {middle, s->y.kernel * s->x.kernel, 16};
  const int32_t project[3] = {panel_count(s->columns), s->middle, 16};
  const int32_t project_bias[1] = {panel_count(s->columns) * 16};
  et_test_input(test, F32, 4, expand);
  et_test_input(test, F32, 2, bias);
  et_test_input(test, F32, 3, taps);
  et_test_input(test, F32, 1, bias + 1);
  et_test_input(test, F32, 3, project);
  et_test_input(test, F32, 1, project_bias);
}

static void add_activation(et_test_op *test, int32_t kind) {
  et_test_int(test, kind);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}

static void add_block(et_test_op *test, const shape *s) {
  et_test_int(test, s->planar);
  et_test_window(test, &s->expand_y, &s->expand_x);
  et_test_int(test, 1);
  add_activation(test, 1);
  et_test_window(test, &s->y, &s->x);
  add_activation(test, 1);
  add_activation(test, 9);
}

/* Returns the size of a thread's workspace in floats. */
static int32_t workspace_floats(const shape *s) {
  const int32_t ring =
      (s->rows - 1) * s->y.stride + (s->y.kernel - 1) * s->y.dilation + 1;
  return (ring * s->expand_x.out + s->rows * s->x.out) * s->middle;
}

static void add_x(et_test_op *test, const shape *s) {
  const int32_t image[4] = {s->batch, s->expand_y.in, s->expand_x.in,
                            s->channels};
  const int32_t nchw[4] = {s->batch, s->channels, s->expand_y.in,
                           s->expand_x.in};
  et_test_input(test, F32, 4, s->planar ? nchw : image);
}

static void make(et_test_op *test, const shape *s) {
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->columns};
  const int32_t space[2] = {s->lanes, workspace_floats(s)};
  et_test_begin(test, &et_cpu_op_mbconv_f32);
  add_x(test, s);
  add_weights(test, s);
  if (s->residual) {
    et_test_input(test, F32, 4, out);
  }
  et_test_output(test, F32, 4, out);
  et_test_workspace(test, F32, 2, space);
  et_test_int(test, s->rows);
  add_block(test, s);
}

static double clamp(double value) { return fmin(fmax(value, -0.5), 0.75); }

static double input(const et_test_op *test, const shape *s, int32_t image,
                    int32_t y, int32_t x, int32_t c) {
  const float *in = test->tensors[0].data;
  const int32_t h = s->expand_y.in, w = s->expand_x.in;
  return (double)(s->planar ? in[((image * s->channels + c) * h + y) * w + x]
                            : in[((image * h + y) * w + x) * s->channels + c]);
}

static double expanded(const et_test_op *test, const shape *s, int32_t image,
                       int32_t y, int32_t x, int32_t m) {
  const int32_t taps = s->expand_y.kernel * s->expand_x.kernel;
  const float *w = (const float *)test->tensors[1].data +
                   m / 16 * 16 * taps * s->channels + m % 16;
  double sum = ((const float *)test->tensors[2].data)[m];
  for (int32_t tap = 0; tap < taps; tap++) {
    const int32_t iy = et_test_tap(&s->expand_y, y, tap / s->expand_x.kernel);
    const int32_t ix = et_test_tap(&s->expand_x, x, tap % s->expand_x.kernel);
    for (int32_t c = 0; c < s->channels; c++, w += 16) {
      if (iy >= 0 && ix >= 0) {
        sum += (double)*w * input(test, s, image, iy, ix, c);
      }
    }
  }
  return clamp(sum);
}

/* Returns the expanded image, [batch][y][x][middle]. */
static double *expand(const et_test_op *test, const shape *s) {
  const int32_t height = s->expand_y.out, width = s->expand_x.out;
  const int32_t count = s->batch * height * width * s->middle;
  double *values = malloc(((size_t)count + 1) * sizeof(double));
  assert_non_null(values);
  for (int32_t i = 0; i < count; i++) {
    const int32_t pixel = i / s->middle;
    values[i] = expanded(test, s, pixel / width / height,
                         pixel / width % height, pixel % width, i % s->middle);
  }
  return values;
}

static double filtered(const et_test_op *test, const shape *s,
                       const double *expanded_image, int32_t image, int32_t y,
                       int32_t x, int32_t m) {
  const int32_t taps = s->y.kernel * s->x.kernel;
  const float *w =
      (const float *)test->tensors[3].data + m / 16 * taps * 16 + m % 16;
  double sum = ((const float *)test->tensors[4].data)[m];
  for (int32_t tap = 0; tap < taps; tap++) {
    const int32_t iy = et_test_tap(&s->y, y, tap / s->x.kernel);
    const int32_t ix = et_test_tap(&s->x, x, tap % s->x.kernel);
    if (iy >= 0 && ix >= 0) {
      const int32_t pixel =
          (image * s->expand_y.out + iy) * s->expand_x.out + ix;
      sum += (double)w[tap * 16] * expanded_image[pixel * s->middle + m];
    }
  }
  return clamp(sum);
}

/* Computes one pixel of the output. */
static void project(const et_test_op *test, const shape *s,
                    const double *expanded_image, int32_t pixel, double *out) {
  const int32_t x = pixel % s->x.out;
  const int32_t y = pixel / s->x.out % s->y.out;
  for (int32_t n = 0; n < s->columns; n++) {
    out[n] = ((const float *)test->tensors[6].data)[n];
    if (s->residual) {
      const float *residual = test->tensors[7].data;
      out[n] += (double)residual[pixel * s->columns + n];
    }
  }
  for (int32_t m = 0; m < s->middle; m++) {
    const double value =
        filtered(test, s, expanded_image, pixel / s->x.out / s->y.out, y, x, m);
    for (int32_t n = 0; n < s->columns; n++) {
      const float *w = (const float *)test->tensors[5].data +
                       (n / 16 * s->middle + m) * 16 + n % 16;
      out[n] += value * (double)*w;
    }
  }
  for (int32_t n = 0; n < s->columns; n++) {
    out[n] *= out[n] < 0 ? -0.5 : 1; /* leaky ReLU */
  }
}

static void check_block(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *values = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(values);
  double *expanded_image = expand(&test, s);
  for (size_t i = 0; i < count / (size_t)s->columns; i++) {
    project(&test, s, expanded_image, (int32_t)i,
            values + i * (size_t)s->columns);
  }
  for (size_t i = 0; i < count; i++) {
    values[count + i] = 2e-5;
  }
  et_test_run(&test, values, values + count);
  free(expanded_image);
  free(values);
  et_test_end(&test);
}

/* Returns an axis with `in` elements and padding of half the kernel. */
static et_test_axis axis_over(int32_t in, int32_t kernel, int32_t stride) {
  et_test_axis axis = {.in = in,
                       .kernel = kernel,
                       .stride = stride,
                       .before = kernel / 2,
                       .after = kernel / 2,
                       .dilation = 1};
  axis.out = et_test_axis_out(&axis);
  return axis;
}

static shape random_shape(int32_t form) {
  shape s = {.batch = 1 + (int32_t)et_test_below(2),
             .channels = 1 + (int32_t)et_test_below(form == 1 ? 3 : 20),
             .middle = 1 + (int32_t)et_test_below(40),
             .columns = 1 + (int32_t)et_test_below(30),
             .planar = form == 1,
             .residual = et_test_below(2) == 0,
             .rows = 1 + (int32_t)et_test_below(4),
             .lanes = 1 + (int32_t)et_test_below(4)};
  const int32_t kernel = form == 0 ? 1 : 3;
  const int32_t stride = form == 0 ? 1 : 1 + (int32_t)et_test_below(2);
  s.expand_y = axis_over(3 + (int32_t)et_test_below(14), kernel, stride);
  s.expand_x = axis_over(3 + (int32_t)et_test_below(14), kernel, stride);
  const int32_t filter = 1 + 2 * (int32_t)et_test_below(3);
  const int32_t filter_stride = 1 + (int32_t)et_test_below(3);
  s.y = axis_over(s.expand_y.out, filter, filter_stride);
  s.x = axis_over(s.expand_x.out, filter, filter_stride);
  return s;
}

static void test_blocks_of_random_shapes(void **state) {
  (void)state;
  for (int32_t i = 0; i < 90; i++) {
    const shape s = random_shape(i % 3);
    check_block(&s);
  }
}

static void test_wide_rows_with_an_expanding_3x3_window(void **state) {
  (void)state;
  shape s = random_shape(2);
  s.expand_x = axis_over(210, 3, 1);
  s.x = axis_over(210, 3, 1);
  check_block(&s);
}

static void run_with_rows(shape s, int32_t rows, et_cpu_isa isa,
                          const et_test_op *as, void *out) {
  et_test_op test;
  s.rows = rows;
  make(&test, &s);
  for (size_t i = 0; i < test.op.input_count; i++) {
    memcpy(test.tensors[i].data, as->tensors[i].data, test.tensors[i].bytes);
  }
  const et_cpu_run run = {.isa = (uint8_t)isa};
  test.op.type->run(&test.op, &run);
  memcpy(out, et_test_result(&test)->data, et_test_result(&test)->bytes);
  et_test_end(&test);
}

static void test_results_do_not_depend_on_the_height_of_row_tiles(
    void **state) {
  (void)state;
  shape s = random_shape(0);
  s.y = axis_over(s.expand_y.out, 3, 1);
  et_test_op test;
  make(&test, &s);
  const size_t bytes = et_test_result(&test)->bytes;
  void *one = malloc(bytes + 1);
  void *several = malloc(bytes + 1);
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      run_with_rows(s, 1, (et_cpu_isa)isa, &test, one);
      run_with_rows(s, 3, (et_cpu_isa)isa, &test, several);
      assert_memory_equal(one, several, bytes);
      run_with_rows(s, 100, (et_cpu_isa)isa, &test, several);
      assert_memory_equal(one, several, bytes);
    }
  }
  free(one);
  free(several);
  et_test_end(&test);
}

/* A chain of blocks. Each reads the rows of the previous one. */
typedef struct chain {
  shape blocks[4];
  int32_t count;
} chain;

static chain random_chain(int32_t form) {
  chain c = {.count = 2 + (int32_t)et_test_below(2)};
  for (int32_t i = 0; i < c.count; i++) {
    shape *s = &c.blocks[i];
    *s = random_shape(i == 0 ? form : 0);
    s->residual = s->residual && i + 1 == c.count;
    s->rows = i + 1 == c.count ? s->rows : 1;
    if (i > 0) {
      const shape *before = &c.blocks[i - 1];
      s->batch = before->batch;
      s->channels = before->columns;
      s->expand_y = axis_over(before->y.out, 1, 1);
      s->expand_x = axis_over(before->x.out, 1, 1);
      s->y = axis_over(s->expand_y.out, s->y.kernel, s->y.stride);
      s->x = axis_over(s->expand_x.out, s->x.kernel, s->x.stride);
    }
  }
  return c;
}

static const shape *last_of(const chain *c) { return &c->blocks[c->count - 1]; }

static void make_chain(et_test_op *test, const chain *c) {
  const shape *last = last_of(c);
  const int32_t out[4] = {last->batch, last->y.out, last->x.out, last->columns};
  int32_t space[2] = {last->lanes, 0};
  et_test_begin(test, &et_cpu_op_mbconv_f32);
  add_x(test, &c->blocks[0]);
  for (int32_t i = 0; i < c->count; i++) {
    const shape *s = &c->blocks[i];
    add_weights(test, s);
    space[1] += workspace_floats(s) + (s == last ? 0 : s->x.out * s->columns);
  }
  if (last->residual) {
    et_test_input(test, F32, 4, out);
  }
  et_test_output(test, F32, 4, out);
  et_test_workspace(test, F32, 2, space);
  et_test_int(test, last->rows);
  for (int32_t i = 0; i < c->count; i++) {
    add_block(test, &c->blocks[i]);
  }
}

/* Copies x and the weights of block `index` of the chain. */
static void take_weights(et_test_op *one, const et_test_op *all, int32_t index,
                         const et_cpu_tensor *x) {
  memcpy(one->tensors[0].data, x->data, x->bytes);
  for (int32_t i = 0; i < one->op.input_count - 1; i++) {
    const et_cpu_tensor *from = &all->tensors[1 + index * 6 + i];
    memcpy(one->tensors[1 + i].data, from->data, from->bytes);
  }
}

/* Returns the result of the blocks when they are run as separate ops. */
static double *run_each(const et_test_op *all, const chain *c) {
  const et_cpu_run run = {.isa = et_test_isa()};
  et_test_op ops[4];
  const et_cpu_tensor *x = &all->tensors[0];
  for (int32_t i = 0; i < c->count; i++) {
    make(&ops[i], &c->blocks[i]);
    take_weights(&ops[i], all, i, x);
    ops[i].op.type->run(&ops[i].op, &run);
    x = et_test_result(&ops[i]);
  }
  double *values = calloc(2 * x->numel + 1, sizeof(double));
  assert_non_null(values);
  for (size_t i = 0; i < x->numel; i++) {
    values[i] = et_test_at(x, i);
    values[x->numel + i] = 1e-5 * (1 + fabs(values[i]));
  }
  for (int32_t i = 0; i < c->count; i++) {
    et_test_end(&ops[i]);
  }
  return values;
}

static void test_chains_agree_with_separate_blocks(void **state) {
  (void)state;
  for (int32_t i = 0; i < 40; i++) {
    const chain c = random_chain(i % 3);
    et_test_op test;
    make_chain(&test, &c);
    double *values = run_each(&test, &c);
    et_test_run(&test, values, values + et_test_result(&test)->numel);
    free(values);
    et_test_end(&test);
  }
}

static void test_rejects_invalid_chains(void **state) {
  (void)state;
  const et_test_axis point = {6, 6, 1, 1, 0, 0, 1};
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const shape s = {1, 4, 8, 4, point, point, side, side, false, false, 1, 1};
  const chain c = {{s, s}, 2};
  et_test_op test;
  make_chain(&test, &c);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  et_cpu_tensor *space = &test.tensors[14];
  space->sizes[1]--;
  et_test_refused(
      &test, "too small for 3 x 6 expanded and 1 x 6 filtered pixels of 8");
  space->sizes[1]++;
  test.tensors[7].sizes[2] = 17;
  et_test_refused(&test, "mbconv_f32: tensor 5, dim 0 is 1, expected 2");
  test.tensors[7].sizes[2] = 4;
  test.attributes[1 + 31] = 1;
  et_test_refused(&test, "mbconv_f32: expansion of block 1 is not");
  test.attributes[1 + 31] = 0;
  test.attributes[1 + 31 + 5] = 1; /* padding changes the image size */
  et_test_refused(&test, "mbconv_f32: expansion of block 1 is not");
  test.op.attribute_count -= 1;
  et_test_refused(&test, "mbconv_f32: 62 attributes");
  test.op.attribute_count = 1;
  et_test_refused(&test, "mbconv_f32: 0 blocks, expected 1 to 4");
  for (size_t i = 1; i < 5; i++) {
    memcpy(test.attributes + 1 + i * 31, test.attributes + 1,
           31 * sizeof *test.attributes);
  }
  test.op.attribute_count = 1 + 3 * 31;
  et_test_refused(
      &test, "mbconv_f32: 13 inputs, expected 19, or one more with a residual");
  test.op.attribute_count = 1 + 5 * 31;
  et_test_refused(&test, "mbconv_f32: 5 blocks, expected 1 to 4");
  et_test_end(&test);
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis point = {6, 6, 1, 1, 0, 0, 1};
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const shape s = {1, 4, 8, 5, point, point, side, side, false, true, 2, 1};
  et_test_op test;
  make(&test, &s);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.attributes[0] = 3;
  et_test_refused(&test,
                  "too small for 5 x 6 expanded and 3 x 6 filtered pixels");
  test.attributes[0] = 0x7fffffff;
  et_test_refused(&test, "mbconv_f32: attribute 0 is 2147483647");
  test.attributes[0] = 2;
  test.attributes[12] = 2;
  et_test_refused(&test, "mbconv_f32: attribute 12 is 2, expected 1");
  test.attributes[12] = 1;
  test.attributes[16] = 33;
  et_test_refused(&test, "mbconv_f32: kernel has 33 rows, expected 1 to 32");
  test.attributes[16] = 5;
  et_test_refused(&test,
                  "mbconv_f32: 6 outputs along an axis of size 6, expected 4");
  test.attributes[16] = 3;
  test.tensors[5].sizes[1] = 9;
  test.tensors[4].numel = 10;
  et_test_refused(&test, "mbconv_f32: tensor 4 has 10 elements, expected 16");
  test.tensors[4].numel = 16;
  et_test_refused(
      &test, "too small for 4 x 6 expanded and 2 x 6 filtered pixels of 9");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_of_random_shapes),
      cmocka_unit_test(test_wide_rows_with_an_expanding_3x3_window),
      cmocka_unit_test(test_results_do_not_depend_on_the_height_of_row_tiles),
      cmocka_unit_test(test_chains_agree_with_separate_blocks),
      cmocka_unit_test(test_rejects_invalid_chains),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
