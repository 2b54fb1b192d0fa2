/* The tensors and ops that rules emit in mode COUNT determine the reserved memory. Those emitted in
 * modes BUILD and RESIZE use it. The memory suffices under these invariants:
 *
 * - Rules branch on the payload, the options and the declared sizes only. Modes differ in the sizes
 *   of tensors, never in their number or order. add() checks tensors against handle->counts, and
 *   et_xnn_emit() checks ops, references, dims and words.
 * - Inferred sizes in bytes never exceed the declared ones. resize() checks each tensor against the
 *   capacity of its slot. Tensors of et_xnn_add_scratch() therefore need at most the scratch that
 *   plan.c reserved at handle->scratch_offsets, and have the same order.
 * - The sizes of packed constants follow from constants, which are the same in all modes. Their sum
 *   is not checked again. et_xnn_build() counts and builds with one context, so both modes share
 *   the same constants.
 * - RESIZE keeps slots, data and packed constants, and rewrites sizes and ops. et_xnn_emit() checks
 *   each op against its new sizes. */
#include "backends/xnnpack/runtime/builder.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "backends/cpu/ops/op_schema.h"
#include "backends/cpu/schema/cast.h"
#include "backends/cpu/schema/cost_model.h"
#include "backends/cpu/schema/dequantize.h"
#include "backends/cpu/schema/quantize.h"
#include "executorch/checked.h"
#include "runtime/core/format.h"

#define REASON_BYTES 160
/* The largest suffix: a text, two types, and twice ET_XNN_MAX_DIMS sizes. */
#define MOST_SUFFIX_BYTES 180

void et_xnn_reject(et_xnn_builder *b, const char *format, ...) {
  char reason[REASON_BYTES];
  va_list args;
  if (b->status != ET_STATUS_OK) {
    return;
  }
  va_start(args, format);
  et_format_args(reason, sizeof reason, format, &args);
  va_end(args);
  b->status =
      ET_XNN_FAIL(b->error, "xnodes[%u] %s: %s", (unsigned)b->node->index,
                  et_xnn_node_name(b->node->tag), reason);
}

et_xnn_value et_xnn_input(const et_xnn_builder *b, uint8_t index) {
  return et_xnn_value_at(b->graph, b->node->inputs[index]);
}

et_xnn_value et_xnn_output(const et_xnn_builder *b, uint8_t index) {
  return et_xnn_value_at(b->graph, b->node->outputs[index]);
}

static et_xnn_dims dims_in(const et_cpu_tensor *tensor) {
  et_xnn_dims dims = {.rank = tensor->rank};
  memcpy(dims.sizes, tensor->sizes, sizeof dims.sizes);
  return dims;
}

et_xnn_dims et_xnn_dims_of(const et_xnn_builder *b, uint32_t id) {
  return b->mode == ET_XNN_COUNT ? et_xnn_value_at(b->graph, id).dims
                                 : dims_in(&b->handle->tensors[id]);
}

/* Sets the sizes of a tensor with `numel` elements. The caller has checked that they do not
 * overflow. */
static void set_dims(et_cpu_tensor *tensor, const et_xnn_dims *dims,
                     size_t numel) {
  memset(tensor->sizes, 0, sizeof tensor->sizes);
  memcpy(tensor->sizes, dims->sizes, sizeof dims->sizes);
  tensor->rank = dims->rank;
  tensor->numel = numel;
  tensor->bytes = numel * et_scalar_type_size(tensor->dtype);
}

static bool resize(et_xnn_builder *b, et_xnn_tensor index,
                   const et_xnn_dims *dims) {
  et_cpu_tensor *tensor = &b->handle->tensors[index];
  size_t numel = 0;
  if (!et_xnn_count(dims, &numel) ||
      numel * et_scalar_type_size(tensor->dtype) >
          b->handle->slots[index].capacity) {
    et_xnn_reject(b, "%zu elements exceed the reserved memory", numel);
    return false;
  }
  set_dims(tensor, dims, numel);
  return true;
}

void et_xnn_infer(et_xnn_builder *b, uint8_t index, const et_xnn_dims *dims) {
  if (b->mode == ET_XNN_COUNT || b->status != ET_STATUS_OK) {
    return;
  }
  resize(b, b->node->outputs[index], dims);
}

/* Appends a tensor. In mode COUNT, the tensor is only counted. */
static et_xnn_tensor add(et_xnn_builder *b, et_scalar_type dtype,
                         const et_xnn_dims *dims, const et_xnn_slot *slot,
                         void *data) {
  if (b->status != ET_STATUS_OK) {
    return 0;
  }
  const et_xnn_tensor index = b->used.tensors++;
  if (b->mode == ET_XNN_COUNT) {
    return index;
  }
  if (index >= b->handle->counts.tensors) {
    et_xnn_reject(b, "more tensors than counted");
    return 0;
  }
  if (b->mode == ET_XNN_BUILD) {
    b->handle->slots[index] = *slot;
    b->handle->tensors[index] = (et_cpu_tensor){
        .data = data, .dtype = (uint8_t)dtype, .place = slot->place};
  }
  return resize(b, index, dims) ? index : 0;
}

/* Points the tensor of a constant into the payload or the named data. */
static void find_constant(et_xnn_builder *b, uint32_t id,
                          const et_xnn_value *value) {
  et_cpu_tensor *tensor = &b->handle->tensors[id];
  const size_t width = et_scalar_type_size(tensor->dtype);
  const uint8_t *bytes = NULL;
  const et_status status = et_xnn_constant(
      b->graph, b->context, value->constant, value->numel * width, &bytes);
  if (status != ET_STATUS_OK) {
    b->status = status;
    return;
  }
  ET_XNN_REQUIRE(b, (uintptr_t)bytes % width == 0,
                 "constant %u is not aligned to its element size",
                 (unsigned)value->constant);
  tensor->data = (void *)(uintptr_t)bytes;
}

et_xnn_tensor et_xnn_tensor_of(et_xnn_builder *b, uint32_t id) {
  const et_xnn_value value = et_xnn_value_at(b->graph, id);
  if (et_xnn_has_nibbles(&value)) {
    et_xnn_reject(b, "4-bit value %u is not supported", (unsigned)id);
  }
  if (b->mode == ET_XNN_BUILD && b->status == ET_STATUS_OK &&
      value.constant != 0) {
    find_constant(b, id, &value);
  }
  return id;
}

et_xnn_tensor et_xnn_view(et_xnn_builder *b, et_xnn_tensor tensor,
                          const et_xnn_dims *dims) {
  if (b->mode == ET_XNN_COUNT) {
    return add(b, ET_SCALAR_TYPE_UINT8, dims, NULL, NULL);
  }
  const et_cpu_tensor *viewed = &b->handle->tensors[tensor];
  size_t numel = 0;
  if (!et_xnn_count(dims, &numel) || numel != viewed->numel) {
    et_xnn_reject(b, "cannot view %zu elements as %zu", viewed->numel, numel);
  }
  return add(b, (et_scalar_type)viewed->dtype, dims, &b->handle->slots[tensor],
             viewed->data);
}

/* Returns the size of a tensor in bytes, rounded up to the alignment, or SIZE_MAX on overflow. */
static size_t aligned_bytes(et_scalar_type dtype, const et_xnn_dims *dims) {
  size_t numel = 0;
  size_t bytes = 0;
  return et_xnn_count(dims, &numel) &&
                 et_checked_mul(numel, et_scalar_type_size(dtype), &bytes) &&
                 et_checked_align(bytes, ET_CPU_ALIGNMENT, &bytes)
             ? bytes
             : SIZE_MAX;
}

static void spend(et_xnn_builder *b, size_t bytes, size_t *sum) {
  if (bytes == SIZE_MAX || !et_checked_add(*sum, bytes, sum)) {
    et_xnn_reject(b, "requires too much memory");
  }
}

et_xnn_tensor et_xnn_add_scratch(et_xnn_builder *b, et_scalar_type dtype,
                                 const et_xnn_dims *dims) {
  const size_t bytes = aligned_bytes(dtype, dims);
  et_xnn_slot slot = {.place = ET_CPU_PLACE_SCRATCH, .capacity = bytes};
  if (b->mode == ET_XNN_BUILD) {
    slot.offset = b->handle->scratch_offsets[b->node->index] + b->own_scratch;
  }
  spend(b, bytes, &b->own_scratch);
  return add(b, dtype, dims, &slot, NULL);
}

et_xnn_tensor et_xnn_workspaces(et_xnn_builder *b, size_t floats) {
  const size_t lanes =
      ET_CPU_WORKSPACE_MAX_BYTES / (floats * sizeof(float) + 1);
  const et_xnn_dims dims = {.rank = 2,
                            .sizes = {lanes < 2                ? 2
                                      : lanes > ET_XNN_THREADS ? ET_XNN_THREADS
                                                               : (int32_t)lanes,
                                      (int32_t)floats}};
  return et_xnn_add_scratch(b, ET_SCALAR_TYPE_FLOAT32, &dims);
}

uint16_t et_xnn_add_residual(et_xnn_builder *b, et_xnn_tensor *inputs,
                             uint16_t count) {
  if (b->node->input_count > ET_XNN_RESIDUAL) {
    inputs[count++] = et_xnn_tensor_of(b, b->node->inputs[ET_XNN_RESIDUAL]);
  }
  return count;
}

uint32_t et_xnn_bits(float number) {
  uint32_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static int32_t bounded_byte(float number, const et_xnn_value *value,
                            int32_t lowest, int32_t highest) {
  const float byte = rintf(number / value->quantization.scale) +
                     (float)value->quantization.zero_point;
  return byte <= (float)lowest    ? lowest
         : byte >= (float)highest ? highest
                                  : (int32_t)byte;
}

int32_t et_xnn_quantized(const et_xnn_builder *b, const et_xnn_value *value,
                         float number) {
  const bool is_signed = value->datatype == ET_XNN_QINT8;
  const float low = number < b->node->low ? b->node->low : number;
  const float bounded = low > b->node->high ? b->node->high : low;
  return bounded_byte(bounded, value, is_signed ? INT8_MIN : 0,
                      is_signed ? INT8_MAX : UINT8_MAX);
}

et_cpu_output_quantization et_xnn_output_quantization(
    const et_xnn_builder *b, const et_xnn_value *value) {
  return (et_cpu_output_quantization){
      .inverse = 1.0f / value->quantization.scale,
      .zero_point = value->quantization.zero_point,
      .low = et_xnn_quantized(b, value, -INFINITY),
      .high = et_xnn_quantized(b, value, INFINITY)};
}

et_cpu_quant_params et_xnn_quant_params(const et_xnn_value *value) {
  return (et_cpu_quant_params){value->quantization.zero_point,
                               value->quantization.scale};
}

static void emit_one(et_xnn_builder *b, const et_backend_part *part,
                     et_xnn_tensor from, et_xnn_tensor to,
                     const uint32_t *words, uint16_t count) {
  const et_xnn_emission emission = {.part = part,
                                    .inputs = &from,
                                    .input_count = 1,
                                    .output = to,
                                    .words = words,
                                    .word_count = count};
  et_xnn_emit(b, &emission);
}

void et_xnn_read_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor to) {
  const et_xnn_value value = et_xnn_value_at(b->graph, id);
  const et_xnn_tensor tensor = et_xnn_tensor_of(b, id);
  if (et_xnn_is_8_bit(&value)) {
    const et_cpu_dequantize_attributes attributes = {
        .params = et_xnn_quant_params(&value)};
    uint32_t words[ET_CPU_DEQUANTIZE_ATTRIBUTES_WORDS];
    et_cpu_dequantize_attributes_write(&attributes, words);
    emit_one(b, &et_cpu_op_dequantize, tensor, to, words,
             ET_CPU_DEQUANTIZE_ATTRIBUTES_WORDS);
  } else if (value.datatype == ET_XNN_FP16 || value.datatype == ET_XNN_BF16) {
    emit_one(b, &et_cpu_op_cast, tensor, to, NULL, 0);
  } else {
    et_xnn_reject(b, "cannot read value %u of datatype %u", (unsigned)id,
                  (unsigned)value.datatype);
  }
}

et_xnn_tensor et_xnn_floats_of(et_xnn_builder *b, uint32_t id) {
  const et_xnn_value value = et_xnn_value_at(b->graph, id);
  const et_xnn_dims dims = et_xnn_dims_of(b, id);
  if (value.datatype == ET_XNN_FP32 || value.datatype == ET_XNN_QDINT8) {
    return et_xnn_tensor_of(b, id);
  }
  const et_xnn_tensor floats =
      et_xnn_add_scratch(b, ET_SCALAR_TYPE_FLOAT32, &dims);
  et_xnn_read_floats(b, id, floats);
  return floats;
}

et_xnn_tensor et_xnn_floats_for(et_xnn_builder *b, uint32_t id) {
  const et_xnn_value value = et_xnn_value_at(b->graph, id);
  const et_xnn_dims dims = et_xnn_dims_of(b, id);
  return value.datatype == ET_XNN_FP32
             ? et_xnn_tensor_of(b, id)
             : et_xnn_add_scratch(b, ET_SCALAR_TYPE_FLOAT32, &dims);
}

void et_xnn_put_floats(et_xnn_builder *b, uint32_t id, et_xnn_tensor floats) {
  const et_xnn_value value = et_xnn_value_at(b->graph, id);
  const et_xnn_tensor tensor = et_xnn_tensor_of(b, id);
  if (value.datatype == ET_XNN_FP32) {
    return;
  }
  if (et_xnn_is_floating(&value)) {
    emit_one(b, &et_cpu_op_cast, floats, tensor, NULL, 0);
  } else if (et_xnn_is_8_bit(&value)) {
    const et_cpu_quantize_attributes attributes = {
        .output_quantization = et_xnn_output_quantization(b, &value)};
    uint32_t words[ET_CPU_QUANTIZE_ATTRIBUTES_WORDS];
    et_cpu_quantize_attributes_write(&attributes, words);
    emit_one(b, &et_cpu_op_quantize, floats, tensor, words,
             ET_CPU_QUANTIZE_ATTRIBUTES_WORDS);
  } else {
    et_xnn_reject(b, "cannot write value %u of datatype %u", (unsigned)id,
                  (unsigned)value.datatype);
  }
}

/* Appends sizes to the text of `used` bytes. Returns the length of the whole text. */
static size_t add_sizes(char text[ET_XNN_NAME_BYTES], size_t used,
                        const et_xnn_dims *dims) {
  for (uint8_t i = 0; i < dims->rank; i++) {
    used += et_format(text + used, ET_XNN_NAME_BYTES - used, ":%d",
                      (int)dims->sizes[i]);
  }
  return used;
}

et_string et_xnn_shared_name(const et_xnn_value *value, et_string key,
                             const et_xnn_packing *packing,
                             char text[ET_XNN_NAME_BYTES]) {
  const et_string none = {"", 0};
  if (packing->share == NULL || key.size == 0 ||
      key.size > ET_XNN_NAME_BYTES - MOST_SUFFIX_BYTES) {
    return none;
  }
  memcpy(text, key.data, key.size);
  size_t used = key.size;
  used +=
      et_format(text + used, ET_XNN_NAME_BYTES - used, ":%s:%u:%d",
                packing->share, (unsigned)value->datatype, (int)packing->dtype);
  used = add_sizes(text, used, &packing->dims);
  used = add_sizes(text, used, &value->dims);
  return (et_string){text, used};
}

/* Returns the key of a packed constant in the shared store, or an empty string if it is not
 * shared. */
static et_string shared_name(const et_xnn_builder *b,
                             const et_xnn_packing *packing,
                             char text[ET_XNN_NAME_BYTES]) {
  const et_string none = {"", 0};
  if (b->context == NULL || b->context->store == NULL) {
    return none;
  }
  const et_xnn_value value = et_xnn_value_at(b->graph, packing->id);
  const et_string key = et_xnn_constant_key(b->graph, value.constant);
  return et_xnn_shared_name(&value, key, packing, text);
}

/* Context of the store's callback. */
typedef struct filling {
  et_xnn_builder *b;
  const et_xnn_packing *packing;
} filling;

static et_status fill_shared(void *context, et_mutable_span bytes,
                             et_error *error) {
  const filling *f = context;
  (void)error; /* same as f->b->error */
  return f->packing->fill(f->b, f->packing->request, bytes.data);
}

static et_status fill(et_xnn_builder *b, const et_xnn_packing *packing,
                      et_string name, size_t bytes, void **out) {
  if (name.size == 0) {
    *out = b->handle->packed + b->used.packed_bytes;
    return packing->fill(b, packing->request, *out);
  }
  filling f = {b, packing};
  et_span shared = {NULL, 0};
  const et_status status =
      et_shared_store_get(b->context->store, "XnnpackBackend", name, bytes,
                          fill_shared, &f, &shared, b->error);
  *out = (void *)(uintptr_t)shared.data;
  return status;
}

et_xnn_tensor et_xnn_pack(et_xnn_builder *b, const et_xnn_packing *packing) {
  const size_t bytes = aligned_bytes(packing->dtype, &packing->dims);
  const et_xnn_slot slot = {.place = ET_CPU_PLACE_DATA, .capacity = bytes};
  char text[ET_XNN_NAME_BYTES];
  const et_string name = shared_name(b, packing, text);
  void *data = NULL;
  if (b->mode == ET_XNN_BUILD && b->status == ET_STATUS_OK) {
    b->status = fill(b, packing, name, bytes, &data);
  }
  if (name.size == 0) {
    spend(b, bytes, &b->used.packed_bytes);
  } else {
    spend(b, et_shared_store_bytes(name, bytes), &b->used.shared_bytes);
  }
  return add(b, packing->dtype, &packing->dims, &slot, data);
}

/* Returns true if `used` is within `counts`. */
static bool fits_counts(const et_xnn_counts *used,
                        const et_xnn_counts *counts) {
  return used->ops <= counts->ops && used->references <= counts->references &&
         used->dims <= counts->dims && used->words <= counts->words;
}

static uint16_t output_count(const et_xnn_emission *emission) {
  return emission->output_count == 0 ? 1 : emission->output_count;
}

static void fill_tensors(et_xnn_handle *handle, uint32_t at,
                         const et_xnn_emission *e) {
  et_cpu_tensor **to = handle->references + at;
  for (uint16_t i = 0; i < e->input_count; i++) {
    *to++ = &handle->tensors[e->inputs[i]];
  }
  *to++ = &handle->tensors[e->output];
  if (output_count(e) == 2) {
    *to++ = &handle->tensors[e->second_output];
  }
  if (e->workspace_count != 0) {
    *to = &handle->tensors[e->workspace];
  }
}

static void fill_op(et_xnn_handle *handle, const et_xnn_counts *at,
                    const et_xnn_emission *e) {
  fill_tensors(handle, at->references, e);
  for (uint16_t i = 0; i < e->dim_count; i++) {
    handle->dims[at->dims + i] = e->dims[i];
    handle->dim_references[at->dims + i] = &handle->dims[at->dims + i];
  }
  for (uint16_t i = 0; i < e->word_count; i++) {
    handle->words[at->words + i] = e->words[i];
  }
  handle->ops[at->ops] =
      (et_cpu_op){.type = e->part->content,
                  .tensors = handle->references + at->references,
                  .dims = handle->dim_references + at->dims,
                  .attributes = handle->words + at->words,
                  .input_count = e->input_count,
                  .output_count = output_count(e),
                  .workspace_count = e->workspace_count,
                  .dim_count = e->dim_count,
                  .attribute_count = e->word_count};
}

static void check_op(et_xnn_builder *b, const et_cpu_op *op) {
  et_error reason;
  et_error_clear(&reason);
  const et_status status = et_cpu_check_op(op, &reason);
  if (status != ET_STATUS_OK) {
    et_xnn_reject(b, "%s", reason.message);
  }
}

void et_xnn_emit(et_xnn_builder *b, const et_xnn_emission *emission) {
  if (b->status != ET_STATUS_OK) {
    return;
  }
  const et_xnn_counts at = b->used;
  b->used.ops++;
  b->used.references += (uint32_t)emission->input_count +
                        output_count(emission) + emission->workspace_count;
  b->used.dims += emission->dim_count;
  b->used.words += emission->word_count;
  if (b->mode == ET_XNN_COUNT) {
    return;
  }
  ET_XNN_REQUIRE(b, fits_counts(&b->used, &b->handle->counts),
                 "more ops than counted");
  fill_op(b->handle, &at, emission);
  check_op(b, &b->handle->ops[at.ops]);
}
