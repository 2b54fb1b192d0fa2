/* A value is live from the group that writes it to its last reader. The nodes are visited from
 * last to first: a value gets its block at its last reader, and the block is released at its
 * writer. The scratch of a group's own tensors is placed while the group's inputs and outputs are
 * live, so it overlaps neither.
 *
 * This requires that each value is written once, before all readers. et_xnn_build() checks this
 * condition (check_order) before it plans into the handle. */
#include "backends/xnnpack/runtime/builder.h"

#include <string.h>

#include "backends/xnnpack/runtime/rules.h"
#include "executorch/checked.h"

/* Maximum number of values that are live at the same time. A chain of layers has two or three. */
#define MAX_LIVE 512

/* Id of the block that holds a group's own tensors. It is not the id of a value. */
#define OWN_TENSORS UINT32_MAX

typedef struct block {
  size_t offset;
  size_t size;
  uint32_t id;
} block;

/* Live blocks, sorted by offset. */
typedef struct plan {
  et_xnn_builder *b;
  et_xnn_handle *handle; /* or NULL */
  size_t end;            /* maximum end of all blocks so far */
  size_t count;
  block blocks[MAX_LIVE];
} plan;

et_status et_xnn_apply_all(et_xnn_builder *b) {
  for (uint32_t i = 0; i < et_fb_count(b->graph->nodes); i++) {
    et_xnn_group group;
    if (et_xnn_group_of(&b->uses, b->graph, i, &group)) {
      ET_RETURN_IF_ERROR(et_xnn_apply(b, &group));
    }
  }
  return ET_STATUS_OK;
}

static size_t find(const plan *p, uint32_t id) {
  size_t i = 0;
  while (i < p->count && p->blocks[i].id != id) {
    i++;
  }
  return i;
}

/* Places a block in the first gap that is large enough. */
static et_status place(plan *p, uint32_t id, size_t size, size_t *out_offset) {
  size_t at = 0;
  size_t offset = 0;
  size_t end = 0;
  while (at < p->count && p->blocks[at].offset - offset < size) {
    offset = p->blocks[at].offset + p->blocks[at].size;
    at++;
  }
  ET_XNN_CHECK(p->b->error, p->count < MAX_LIVE,
               "more than %d values are live at the same time", MAX_LIVE);
  ET_XNN_CHECK(p->b->error, et_checked_add(offset, size, &end),
               "values require too much memory");
  memmove(p->blocks + at + 1, p->blocks + at,
          (p->count - at) * sizeof p->blocks[0]);
  p->blocks[at] = (block){offset, size, id};
  p->count++;
  p->end = end > p->end ? end : p->end;
  *out_offset = offset;
  return ET_STATUS_OK;
}

static void release(plan *p, uint32_t id) {
  const size_t at = find(p, id);
  if (at < p->count) {
    p->count--;
    memmove(p->blocks + at, p->blocks + at + 1,
            (p->count - at) * sizeof p->blocks[0]);
  }
}

/* Returns the size of a value in scratch in bytes. It is 0 for constants, inputs and outputs. */
static size_t scratch_bytes(const et_xnn_value *value) {
  const size_t bytes =
      value->numel * et_scalar_type_size(et_xnn_storage(value));
  return value->constant == 0 && value->external == ET_XNN_NO_VALUE
             ? (bytes + ET_CPU_ALIGNMENT - 1) / ET_CPU_ALIGNMENT *
                   ET_CPU_ALIGNMENT
             : 0;
}

/* Makes a value live before this node, unless it already is. */
static et_status keep(plan *p, uint32_t id) {
  if (id == ET_XNN_NO_VALUE || find(p, id) < p->count) {
    return ET_STATUS_OK;
  }
  const et_xnn_value value = et_xnn_value_at(p->b->graph, id);
  const size_t bytes = scratch_bytes(&value);
  size_t offset = 0;
  if (bytes == 0) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(place(p, id, bytes, &offset));
  if (p->handle != NULL) {
    p->handle->slots[id].offset = offset;
  }
  return ET_STATUS_OK;
}

static et_status plan_own_tensors(plan *p, const et_xnn_group *group) {
  size_t offset = 0;
  ET_RETURN_IF_ERROR(et_xnn_apply(p->b, group));
  ET_RETURN_IF_ERROR(place(p, OWN_TENSORS, p->b->own_scratch, &offset));
  release(p, OWN_TENSORS);
  if (p->handle != NULL) {
    p->handle->scratch_offsets[group->node.index] = offset;
  }
  return ET_STATUS_OK;
}

static et_status plan_group(plan *p, const et_xnn_group *group) {
  const et_xnn_node *node = &group->node;
  for (uint8_t i = 0; i < node->output_count; i++) {
    ET_RETURN_IF_ERROR(keep(p, node->outputs[i]));
  }
  for (uint8_t i = 0; i < node->input_count; i++) {
    ET_RETURN_IF_ERROR(keep(p, node->inputs[i]));
  }
  ET_RETURN_IF_ERROR(plan_own_tensors(p, group));
  for (uint8_t i = 0; i < node->output_count; i++) {
    release(p, node->outputs[i]);
  }
  return ET_STATUS_OK;
}

et_status et_xnn_plan(et_xnn_builder *counting, et_xnn_handle *handle,
                      size_t *out_bytes) {
  plan p = {.b = counting, .handle = handle};
  for (uint32_t i = et_fb_count(counting->graph->nodes); i-- > 0;) {
    et_xnn_group group;
    if (et_xnn_group_of(&counting->uses, counting->graph, i, &group)) {
      ET_RETURN_IF_ERROR(plan_group(&p, &group));
    }
  }
  *out_bytes = p.end;
  return ET_STATUS_OK;
}
