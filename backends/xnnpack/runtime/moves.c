#include <string.h>

#include "backends/cpu/schema/copy.h"
#include "backends/cpu/schema/permute.h"
#include "backends/xnnpack/runtime/rules.h"

#define COPY_WORDS ET_CPU_COPY_ATTRIBUTES_WORDS
#define MAX_REGION_DIMS (ET_XNN_MAX_INPUTS * ET_XNN_MAX_DIMS)

/* Returns true if all inputs have the output's quantization, so that elements can be copied.
 * Otherwise, elements are converted to float32 and back. */
static bool copies_elements(const et_xnn_builder *b) {
  const et_xnn_value out = et_xnn_output(b, 0);
  bool is_same = true;
  for (uint8_t i = 0; i < b->node->input_count; i++) {
    const et_xnn_value x = et_xnn_input(b, i);
    is_same = is_same && et_xnn_same_quantization(&x, &out);
  }
  return is_same;
}

static et_xnn_tensor source(et_xnn_builder *b, uint8_t index, bool is_bits) {
  const uint32_t id = b->node->inputs[index];
  return is_bits ? et_xnn_tensor_of(b, id) : et_xnn_floats_of(b, id);
}

static et_xnn_tensor target(et_xnn_builder *b, bool is_bits) {
  const uint32_t id = b->node->outputs[0];
  return is_bits ? et_xnn_tensor_of(b, id) : et_xnn_floats_for(b, id);
}

static void finish(et_xnn_builder *b, bool is_bits, et_xnn_tensor tensor) {
  if (!is_bits) {
    et_xnn_put_floats(b, b->node->outputs[0], tensor);
  }
}

static void emit_permute(et_xnn_builder *b, et_xnn_tensor x, et_xnn_tensor y,
                         const uint32_t *order, uint8_t rank) {
  const et_cpu_permute_attributes attributes = {order, rank};
  uint32_t words[ET_XNN_MAX_DIMS];
  et_cpu_permute_attributes_write(&attributes, words);
  et_xnn_emit(b, &(et_xnn_emission){.part = &et_cpu_op_permute,
                                    .inputs = &x,
                                    .input_count = 1,
                                    .output = y,
                                    .words = words,
                                    .word_count = rank});
}

static void permute(et_xnn_builder *b, const uint32_t *order, uint8_t rank) {
  const bool is_bits = copies_elements(b);
  const et_xnn_tensor x = source(b, 0, is_bits);
  const et_xnn_tensor y = target(b, is_bits);
  emit_permute(b, x, y, order, rank);
  finish(b, is_bits, y);
}

void et_xnn_transpose(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_fb_vector list = et_fb_list(b->node->body, ET_XNN_TRANSPOSE_ORDER);
  uint32_t order[ET_XNN_MAX_DIMS] = {0};
  et_xnn_dims y = {.rank = x.rank};
  ET_XNN_REQUIRE(b, et_fb_count(list) == x.rank,
                 "permutation has %u entries for %u dims",
                 (unsigned)et_fb_count(list), (unsigned)x.rank);
  for (uint8_t i = 0; i < x.rank; i++) {
    order[i] = et_fb_u32_at(list, i);
    ET_XNN_REQUIRE(b, order[i] < x.rank, "order is not a permutation");
    y.sizes[i] = x.sizes[order[i]];
  }
  et_xnn_infer(b, 0, &y);
  permute(b, order, x.rank);
}

/* Returns a view with one dimension. */
static et_xnn_tensor flat(et_xnn_builder *b, et_xnn_tensor tensor,
                          const et_xnn_dims *dims) {
  size_t numel = 0;
  et_xnn_count(dims, &numel);
  const et_xnn_dims line = {.rank = 1, .sizes = {(int32_t)numel}};
  return et_xnn_view(b, tensor, &line);
}

static void copy_all(et_xnn_builder *b, const et_xnn_dims *from,
                     const et_xnn_dims *to) {
  const bool is_bits = copies_elements(b);
  const uint32_t order = 0;
  const et_xnn_tensor x = flat(b, source(b, 0, is_bits), from);
  const et_xnn_tensor out = target(b, is_bits);
  emit_permute(b, x, flat(b, out, to), &order, 1);
  finish(b, is_bits, out);
}

void et_xnn_copy(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  et_xnn_infer(b, 0, &x);
  const et_xnn_dims y = et_xnn_dims_of(b, b->node->outputs[0]);
  copy_all(b, &x, &y);
}

/* Replaces a size of 0 with the size that gives `numel` elements. Returns false if no such size
 * exists, or if several sizes are 0. */
static bool infer_reshaped(size_t numel, et_xnn_dims *dims) {
  uint64_t known = 1;
  uint8_t unknown = ET_XNN_MAX_DIMS;
  for (uint8_t i = 0; i < dims->rank; i++) {
    if (dims->sizes[i] == 0 && unknown != ET_XNN_MAX_DIMS) {
      return false;
    }
    if (dims->sizes[i] == 0) {
      unknown = i;
    } else {
      known *= (uint64_t)dims->sizes[i];
    }
    if (dims->sizes[i] < 0 || known > INT32_MAX) {
      return false;
    }
  }
  if (unknown == ET_XNN_MAX_DIMS) {
    return known == numel;
  }
  dims->sizes[unknown] = (int32_t)(numel / known);
  return numel % known == 0;
}

void et_xnn_reshape(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_fb_vector list = et_fb_list(b->node->body, ET_XNN_RESHAPE_SIZES);
  size_t numel = 0;
  ET_XNN_REQUIRE(b, et_fb_count(list) <= ET_XNN_MAX_DIMS,
                 "output has too many dims: %u", (unsigned)et_fb_count(list));
  et_xnn_dims sizes = {.rank = (uint8_t)et_fb_count(list)};
  for (uint8_t i = 0; i < sizes.rank; i++) {
    sizes.sizes[i] = et_fb_i32_at(list, i);
  }
  et_xnn_count(&x, &numel);
  ET_XNN_REQUIRE(b, b->mode == ET_XNN_COUNT || infer_reshaped(numel, &sizes),
                 "cannot reshape %zu elements to the output sizes", numel);
  et_xnn_infer(b, 0, &sizes);
  const et_xnn_dims y = et_xnn_dims_of(b, b->node->outputs[0]);
  copy_all(b, &x, &y);
}

/* A copy of slices: the positions of the first element in the input and in the output, for each
 * input and dimension. */
typedef struct copying {
  bool is_filled;
  float fill;
  int32_t positions[2 * MAX_REGION_DIMS];
} copying;

static void copy_parts(et_xnn_builder *b, const copying *c, uint8_t rank) {
  const uint8_t count = b->node->input_count;
  const bool is_bits = !c->is_filled && copies_elements(b);
  const uint16_t positions = (uint16_t)(count * rank);
  uint32_t strides[MAX_REGION_DIMS];
  const et_cpu_copy_attributes attributes = {.has_fill = c->is_filled,
                                             .fill = c->fill,
                                             .strides = strides,
                                             .strides_count = positions};
  uint32_t words[COPY_WORDS + MAX_REGION_DIMS];
  et_xnn_tensor inputs[ET_XNN_MAX_INPUTS];
  for (uint8_t i = 0; i < count; i++) {
    inputs[i] = source(b, i, is_bits);
  }
  for (uint16_t i = 0; i < positions; i++) {
    strides[i] = 1;
  }
  et_cpu_copy_attributes_write(&attributes, words);
  const et_xnn_tensor y = target(b, is_bits);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_copy,
                            .inputs = inputs,
                            .input_count = count,
                            .output = y,
                            .dims = c->positions,
                            .dim_count = (uint16_t)(2 * positions),
                            .words = words,
                            .word_count = (uint16_t)(COPY_WORDS + positions)});
  finish(b, is_bits, y);
}

void et_xnn_slice(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_fb_vector offsets = et_fb_list(b->node->body, ET_XNN_SLICE_OFFSETS);
  const et_fb_vector sizes = et_fb_list(b->node->body, ET_XNN_SLICE_SIZES);
  copying c = {.is_filled = false};
  et_xnn_dims y = {.rank = x.rank};
  ET_XNN_REQUIRE(
      b, et_fb_count(offsets) == x.rank && et_fb_count(sizes) == x.rank,
      "%u offsets and %u sizes for %u dims", (unsigned)et_fb_count(offsets),
      (unsigned)et_fb_count(sizes), (unsigned)x.rank);
  for (uint8_t i = 0; i < x.rank; i++) {
    const int64_t offset = et_fb_u32_at(offsets, i);
    const int64_t size = et_fb_u32_at(sizes, i);
    ET_XNN_REQUIRE(b, size > 0 && offset + size <= x.sizes[i],
                   "%lld elements starting at %lld exceed dim %u of size %d",
                   (long long)size, (long long)offset, (unsigned)i,
                   (int)x.sizes[i]);
    c.positions[2 * i] = (int32_t)offset;
    y.sizes[i] = (int32_t)size;
  }
  et_xnn_infer(b, 0, &y);
  copy_parts(b, &c, x.rank);
}

void et_xnn_pad(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_fb_vector before = et_fb_list(b->node->body, ET_XNN_PAD_BEFORE);
  const et_fb_vector after = et_fb_list(b->node->body, ET_XNN_PAD_AFTER);
  copying c = {.is_filled = true,
               .fill = et_fb_f32(b->node->body, ET_XNN_PAD_VALUE)};
  et_xnn_dims y = {.rank = x.rank};
  ET_XNN_REQUIRE(b,
                 et_fb_count(before) == x.rank && et_fb_count(after) == x.rank,
                 "%u leading and %u trailing padding values for %u dims",
                 (unsigned)et_fb_count(before), (unsigned)et_fb_count(after),
                 (unsigned)x.rank);
  for (uint8_t i = 0; i < x.rank; i++) {
    const int64_t first = et_fb_u32_at(before, i);
    const int64_t size = first + x.sizes[i] + et_fb_u32_at(after, i);
    ET_XNN_REQUIRE(b, size <= INT32_MAX,
                   "padded size %lld of a dim exceeds int32", (long long)size);
    c.positions[2 * i + 1] = (int32_t)first;
    y.sizes[i] = (int32_t)size;
  }
  et_xnn_infer(b, 0, &y);
  copy_parts(b, &c, x.rank);
}

/* Appends input `index` to the inputs before it. */
static void append(et_xnn_builder *b, uint8_t index, uint32_t axis, copying *c,
                   et_xnn_dims *y) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[index]);
  ET_XNN_REQUIRE(b, x.rank == y->rank, "input %u has %u dims, expected %u",
                 (unsigned)index, (unsigned)x.rank, (unsigned)y->rank);
  const int64_t end = (int64_t)y->sizes[axis] + x.sizes[axis];
  ET_XNN_REQUIRE(b, end <= INT32_MAX,
                 "concatenated size %lld of a dim exceeds int32",
                 (long long)end);
  for (uint8_t i = 0; i < x.rank; i++) {
    ET_XNN_REQUIRE(
        b, i == axis || b->mode == ET_XNN_COUNT || x.sizes[i] == y->sizes[i],
        "input %u has %d elements along dim %u, expected %d", (unsigned)index,
        (int)x.sizes[i], (unsigned)i, (int)y->sizes[i]);
  }
  c->positions[2 * (index * x.rank + axis) + 1] = y->sizes[axis];
  y->sizes[axis] = (int32_t)end;
}

void et_xnn_concatenate(et_xnn_builder *b) {
  const uint32_t axis = et_fb_u32(b->node->body, ET_XNN_CONCATENATE_AXIS);
  et_xnn_dims y = et_xnn_dims_of(b, b->node->inputs[0]);
  copying c = {.is_filled = false};
  ET_XNN_REQUIRE(b, axis < y.rank, "axis %u is out of range for %u dims",
                 (unsigned)axis, (unsigned)y.rank);
  y.sizes[axis] = 0;
  for (uint8_t i = 0; i < b->node->input_count; i++) {
    append(b, i, axis, &c, &y);
  }
  et_xnn_infer(b, 0, &y);
  copy_parts(b, &c, y.rank);
}
