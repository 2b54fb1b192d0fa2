#include "backends/xnnpack/runtime/handle.h"

#include "backends/xnnpack/runtime/builder.h"
#include "backends/xnnpack/runtime/recent.h"

static et_xnn_builder counting(const et_backend_context *context,
                               const et_xnn_options *options,
                               const et_xnn_graph *graph) {
  return (et_xnn_builder){.mode = ET_XNN_COUNT,
                          .options = *options,
                          .graph = graph,
                          .context = context,
                          .error = context->error,
                          .used = {.tensors = et_fb_count(graph->values)}};
}

/* Opens and verifies the payload, computes the memory that its ops need, and plans scratch, before
 * the handle is allocated. */
static et_status open_graph(const et_backend_context *context,
                            const et_xnn_options *options, et_xnn_graph *graph,
                            et_xnn_recent *recent, et_xnn_sizes *out) {
  ET_RETURN_IF_ERROR(
      et_xnn_graph_open(context->payload, context->error, graph));
  et_xnn_attach_caches(graph, recent);
  ET_RETURN_IF_ERROR(et_xnn_check_values(graph, context->error));
  ET_RETURN_IF_ERROR(et_xnn_check_nodes(graph, context->error));
  et_xnn_builder b = counting(context, options, graph);
  ET_RETURN_IF_ERROR(et_xnn_plan(&b, NULL, &out->scratch_bytes));
  out->counts = b.used;
  out->nodes = et_fb_count(graph->nodes);
  out->arguments = graph->external_count;
  return ET_STATUS_OK;
}

/* Plans scratch again and stores the offsets in the handle. */
static et_status plan_scratch(const et_backend_context *context,
                              const et_xnn_options *options,
                              et_xnn_handle *handle) {
  et_xnn_builder b = counting(context, options, &handle->graph);
  return et_xnn_plan(&b, handle, &handle->scratch_bytes);
}

#define REGIONS 11

/* Allocates the regions of a handle, in the order of ET_XNN_HANDLE_BYTES. */
static bool take_all(const et_xnn_sizes *needed, et_arena *arena,
                     void *regions[REGIONS]) {
  const et_xnn_counts *counts = &needed->counts;
  const struct {
    size_t count;
    size_t size;
  } sizes[REGIONS] = {
      {1, sizeof(et_xnn_handle)},
      {counts->tensors, sizeof(et_cpu_tensor)},
      {counts->tensors, sizeof(et_xnn_slot)},
      {counts->ops, sizeof(et_cpu_op)},
      {counts->references, sizeof(et_cpu_tensor *)},
      {counts->dims, sizeof(int32_t *)},
      {counts->dims, sizeof(int32_t)},
      {counts->words, sizeof(uint32_t)},
      {needed->nodes, sizeof(size_t)},
      {needed->arguments, sizeof(uint32_t)},
      {counts->packed_bytes, 1},
  };
  for (size_t i = 0; i < REGIONS; i++) {
    if (!et_arena_take(arena, sizes[i].count, sizes[i].size, ET_CPU_ALIGNMENT,
                       &regions[i])) {
      return false;
    }
  }
  return true;
}

/* Allocates and initializes the memory of a handle. If the arena only measures, *out is NULL. */
static et_status reserve(const et_backend_context *context,
                         const et_xnn_sizes *needed, const et_xnn_graph *graph,
                         et_arena *arena, et_xnn_handle **out) {
  void *regions[REGIONS];
  if (!take_all(needed, arena, regions)) {
    return et_fail(context->error, ET_STATUS_DELEGATE_MEMORY,
                   "the method's memory is too small");
  }
  *out = regions[0];
  if (*out != NULL) {
    **out = (et_xnn_handle){.graph = *graph,
                            .counts = needed->counts,
                            .tensors = regions[1],
                            .slots = regions[2],
                            .ops = regions[3],
                            .references = regions[4],
                            .dim_references = regions[5],
                            .dims = regions[6],
                            .words = regions[7],
                            .scratch_offsets = regions[8],
                            .arguments = regions[9],
                            .packed = regions[10]};
  }
  return ET_STATUS_OK;
}

/* Returns the number of outputs of the graph. Its other arguments are inputs. */
static size_t count_outputs(const et_xnn_graph *graph) {
  size_t count = 0;
  for (uint32_t i = 0; i < et_fb_count(graph->values); i++) {
    count += et_xnn_value_at(graph, i).flags == ET_XNN_EXTERNAL_OUTPUT;
  }
  return count;
}

et_status et_xnn_compute_sizes(const et_backend_context *context,
                               et_xnn_sizes *out) {
  et_xnn_graph graph;
  et_xnn_recent recent;
  et_xnn_options options;
  ET_RETURN_IF_ERROR(et_xnn_read_options(context, &options));
  ET_RETURN_IF_ERROR(open_graph(context, &options, &graph, &recent, out));
  out->outputs = count_outputs(&graph);
  return ET_STATUS_OK;
}

et_status et_xnn_measure(const et_backend_context *context,
                         et_backend_requirements *out) {
  et_xnn_sizes sizes;
  et_xnn_handle *none = NULL;
  et_arena arena = et_arena_measuring();
  ET_RETURN_IF_ERROR(et_xnn_compute_sizes(context, &sizes));
  ET_RETURN_IF_ERROR(reserve(context, &sizes, NULL, &arena, &none));
  out->handle_bytes = arena.used;
  out->scratch_bytes = sizes.scratch_bytes;
  out->shared_bytes = sizes.counts.shared_bytes;
  out->output_count = sizes.outputs;
  return ET_STATUS_OK;
}

static et_cpu_place place_of(const et_xnn_value *value) {
  if (value->constant != 0) {
    return ET_CPU_PLACE_DATA;
  }
  return value->flags == ET_XNN_EXTERNAL_INPUT    ? ET_CPU_PLACE_INPUT
         : value->flags == ET_XNN_EXTERNAL_OUTPUT ? ET_CPU_PLACE_OUTPUT
                                                  : ET_CPU_PLACE_SCRATCH;
}

/* Initializes the tensor and slot of a value with its declared sizes. */
static void fill_value(et_xnn_handle *handle, uint32_t id) {
  const et_xnn_value value = et_xnn_value_at(&handle->graph, id);
  et_cpu_tensor *tensor = &handle->tensors[id];
  et_xnn_slot *slot = &handle->slots[id];
  *tensor = (et_cpu_tensor){.numel = value.numel,
                            .rank = value.dims.rank,
                            .dtype = (uint8_t)et_xnn_storage(&value),
                            .place = (uint8_t)place_of(&value)};
  for (uint8_t i = 0; i < value.dims.rank; i++) {
    tensor->sizes[i] = value.dims.sizes[i];
  }
  tensor->bytes = value.numel * et_scalar_type_size(tensor->dtype);
  *slot = (et_xnn_slot){.capacity = tensor->bytes, .place = tensor->place};
  if (value.external != ET_XNN_NO_VALUE) {
    slot->argument = value.external;
    handle->arguments[value.external] = id;
  }
}

static void fill_values(et_xnn_handle *handle) {
  for (uint32_t i = 0; i < et_fb_count(handle->graph.values); i++) {
    fill_value(handle, i);
  }
}

/* Checks that the node reads only values that have been written and writes only values that have
 * not. */
static et_status check_order(et_xnn_handle *handle, const et_xnn_node *node,
                             et_error *error) {
  for (uint8_t i = 0; i < node->input_count; i++) {
    const uint32_t id = node->inputs[i];
    const et_xnn_slot *slot = id == ET_XNN_NO_VALUE ? NULL : &handle->slots[id];
    ET_XNN_CHECK(error,
                 slot == NULL || slot->place == ET_CPU_PLACE_DATA ||
                     slot->place == ET_CPU_PLACE_INPUT || slot->is_written,
                 "xnodes[%u] reads value %u before it is written",
                 (unsigned)node->index, (unsigned)id);
  }
  for (uint8_t i = 0; i < node->output_count; i++) {
    et_xnn_slot *slot = &handle->slots[node->outputs[i]];
    ET_XNN_CHECK(
        error,
        slot->place != ET_CPU_PLACE_DATA && slot->place != ET_CPU_PLACE_INPUT &&
            !slot->is_written,
        "xnodes[%u] writes value %u, which is read-only or already written",
        (unsigned)node->index, (unsigned)node->outputs[i]);
    slot->is_written = true;
  }
  return ET_STATUS_OK;
}

static et_status check_nodes_order(et_xnn_handle *handle, et_error *error) {
  for (uint32_t i = 0; i < et_fb_count(handle->graph.nodes); i++) {
    const et_xnn_node node = et_xnn_node_at(&handle->graph, i);
    ET_RETURN_IF_ERROR(check_order(handle, &node, error));
  }
  for (uint32_t i = 0; i < handle->graph.external_count; i++) {
    const et_xnn_slot *slot = &handle->slots[handle->arguments[i]];
    ET_XNN_CHECK(error, slot->place == ET_CPU_PLACE_INPUT || slot->is_written,
                 "no node writes argument %u", (unsigned)i);
  }
  return ET_STATUS_OK;
}

/* Builds the ops of a handle whose regions are reserved. */
static et_status build_ops(const et_backend_context *context,
                           const et_xnn_options *options,
                           et_xnn_handle *handle) {
  fill_values(handle);
  ET_RETURN_IF_ERROR(check_nodes_order(handle, context->error));
  ET_RETURN_IF_ERROR(plan_scratch(context, options, handle));
  et_xnn_builder b = counting(context, options, &handle->graph);
  b.mode = ET_XNN_BUILD;
  b.handle = handle;
  return et_xnn_apply_all(&b);
}

et_status et_xnn_build(const et_backend_context *context, uint8_t isa,
                       et_xnn_handle **out) {
  et_xnn_graph graph;
  et_xnn_recent recent;
  et_xnn_options options;
  et_xnn_sizes sizes = {.nodes = 0};
  et_xnn_handle *handle = NULL;
  ET_RETURN_IF_ERROR(et_xnn_read_options(context, &options));
  ET_RETURN_IF_ERROR(open_graph(context, &options, &graph, &recent, &sizes));
  ET_RETURN_IF_ERROR(reserve(context, &sizes, &graph, context->arena, &handle));
  ET_RETURN_IF_ERROR(build_ops(context, &options, handle));
  handle->graph.recent = NULL;
  handle->options = options;
  handle->isa = isa;
  handle->is_current = true;
  *out = handle;
  return ET_STATUS_OK;
}
