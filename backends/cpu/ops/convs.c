#include "backends/cpu/ops/convs.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"

static int64_t channels_of(const et_cpu_conv_f32_args *args) {
  return args->x->sizes[args->attributes.planar ? 1 : 3];
}

/* Returns the height and width of x. */
static const int32_t *image_of(const et_cpu_conv_f32_args *args) {
  return args->x->sizes + (args->attributes.planar ? 2 : 1);
}

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_conv_f32_args *args,
                               et_error *error) {
  const int32_t *kernel = args->attributes.window.kernel;
  const int64_t groups = args->attributes.groups;
  const int64_t channels = channels_of(args);
  const int64_t columns = args->y->sizes[3];
  ET_CPU_CHECK(
      error, channels % groups == 0 && columns % groups == 0,
      "%s: %lld input and %lld output channels cannot be split evenly into "
      "%lld groups",
      op->type->schema->name, (long long)channels, (long long)columns,
      (long long)groups);
  const int64_t panels = (columns / groups + 15) / 16;
  const int64_t depth = (int64_t)kernel[0] * kernel[1] * (channels / groups);
  const int64_t packed[4] = {groups, panels, depth, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 4, packed, error));
  return et_cpu_check_elements(op, args->bias, groups * panels * 16, error);
}

et_status et_cpu_conv_check(const et_cpu_op *op,
                            const et_cpu_conv_f32_args *args, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_same_batch(op, args->x, args->y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(
      op, &args->attributes.window, image_of(args), args->y->sizes + 1, error));
  if (args->residual != NULL) {
    ET_RETURN_IF_ERROR(et_cpu_check_alike(op, args->residual, args->y, error));
  }
  return check_weights(op, args, error);
}

const float *et_cpu_conv_residual(const et_cpu_conv_f32_args *args) {
  return args->residual != NULL ? args->residual->data : NULL;
}

et_cpu_conv et_cpu_conv_of(const et_cpu_conv_f32_args *args) {
  return (et_cpu_conv){.window =
                           et_cpu_window_of(&args->attributes.window,
                                            image_of(args), args->y->sizes + 1),
                       .x = args->x->data,
                       .bias = args->bias->data,
                       .channels = (size_t)channels_of(args),
                       .columns = (size_t)args->y->sizes[3],
                       .groups = (size_t)args->attributes.groups,
                       .activation = args->attributes.activation};
}

/* Returns the number of columns per block. With few blocks of pixels, columns are divided as
 * well. */
static size_t columns_per_block(const et_cpu_pixel_blocks *b) {
  const size_t few = 8;
  const size_t blocks = et_cpu_parts(b->pixels, ET_CPU_CONV_PIXELS);
  return blocks < few ? 64 : b->group_columns + 1;
}

et_cpu_pixel_blocks et_cpu_conv_blocks(const et_cpu_conv_f32_args *args) {
  const et_cpu_tensor *y = args->y;
  const size_t columns = (size_t)y->sizes[3];
  const size_t groups = (size_t)args->attributes.groups;
  et_cpu_pixel_blocks b = {
      .out = y->data,
      .residual = et_cpu_conv_residual(args),
      .pixels = (size_t)y->sizes[0] * (size_t)y->sizes[1] * (size_t)y->sizes[2],
      .columns = columns,
      .groups = groups,
      .group_columns = columns / groups};
  b.block_columns = columns_per_block(&b);
  b.column_blocks = et_cpu_parts(b.group_columns, b.block_columns);
  return b;
}

size_t et_cpu_pixel_block_count(const et_cpu_pixel_blocks *b) {
  return et_cpu_parts(b->pixels, ET_CPU_CONV_PIXELS) * b->groups *
         b->column_blocks;
}

et_cpu_pixels et_cpu_pixel_block_at(const et_cpu_pixel_blocks *b,
                                    size_t index) {
  const size_t column = index % b->column_blocks;
  const size_t group = index / b->column_blocks % b->groups;
  const size_t pixel = index / b->column_blocks / b->groups;
  const size_t first = pixel * ET_CPU_CONV_PIXELS;
  const size_t before = first * b->columns;
  return (et_cpu_pixels){
      .first_pixel = first,
      .pixels = et_cpu_part(b->pixels, ET_CPU_CONV_PIXELS, pixel),
      .group = group,
      .first_column = column * b->block_columns,
      .columns = et_cpu_part(b->group_columns, b->block_columns, column),
      .out = b->out + before,
      .residual = b->residual == NULL ? NULL : b->residual + before};
}
