#include "runtime/method/intervals.h"

#include "executorch/method_layout.h"
#include "runtime/core/sort.h"

/* Owner of a node whose pieces have several owners. Node indices are below
 * 2^22, because there are at most ET_LIMIT_VALUES ranges. */
#define MIXED (ET_NO_OWNER - 1)

void et_intervals_add(et_intervals *map, uintptr_t begin, uintptr_t end) {
  map->edges[map->edge_count++] = begin;
  map->edges[map->edge_count++] = end;
  map->owners[0] = ET_NO_OWNER;
}

static bool comes_before(void *context, size_t a, size_t b) {
  const et_intervals *map = context;
  return map->edges[a] < map->edges[b];
}

static void swap(void *context, size_t a, size_t b) {
  const et_intervals *map = context;
  const uintptr_t edge = map->edges[a];
  map->edges[a] = map->edges[b];
  map->edges[b] = edge;
}

/* Edges with the same address have empty pieces between them, which always have
 * the owner of the following piece. */
void et_intervals_start(et_intervals *map) {
  const et_sort_items items = {map, comes_before, swap};
  et_sort(&items, map->edge_count);
}

/* Returns the index of the first edge at or after `address`, which is also the
 * index of the piece that starts there. */
static uint32_t edge_at(const et_intervals *map, uintptr_t address) {
  uint32_t low = 0;
  uint32_t high = (uint32_t)map->edge_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (map->edges[middle] >= address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* The pieces to assign to `owner`, or to search for other owners. */
typedef struct range {
  uint32_t first;
  uint32_t past;
  uint32_t owner;
  bool assigns;
} range;

/* Visits a node with pieces [first, past).
 *
 * Returns the first other owner in the range. If there is none, or when
 * assigning, returns `owner`. A tree over n pieces has 2n - 1 nodes in
 * preorder: the node, its left subtree, its right subtree. The recursion depth
 * is at most 32, because value indices have 32 bits. */
static uint32_t visit(const range *r, uint32_t *node, uint32_t first,
                      uint32_t past) {
  if (past <= r->first || r->past <= first) {
    return r->owner;
  }
  if (r->assigns && r->first <= first && past <= r->past) {
    return *node = r->owner;
  }
  const uint32_t middle = first + (past - first) / 2;
  uint32_t *right = node + 2 * (size_t)(middle - first);
  if (*node != MIXED) {
    if (!r->assigns) {
      return *node;
    }
    node[1] = *right = *node;
  }
  uint32_t found = visit(r, node + 1, first, middle);
  if (found == r->owner) {
    found = visit(r, right, middle, past);
  }
  *node = node[1] == *right ? *right : MIXED;
  return found;
}

static uint32_t visit_all(const et_intervals *map, const range *r) {
  return visit(r, map->owners, 0, (uint32_t)map->edge_count - 1);
}

void et_intervals_assign(et_intervals *map, uintptr_t begin, uintptr_t end,
                         uint32_t owner) {
  const range r = {edge_at(map, begin), edge_at(map, end), owner, true};
  visit_all(map, &r);
}

bool et_intervals_owner(const et_intervals *map, uintptr_t begin, uintptr_t end,
                        uint32_t wanted, uint32_t *out_owner) {
  range r = {edge_at(map, begin), edge_at(map, end), wanted, false};
  r.owner = visit_all(map, &r);
  const uint32_t other = r.owner == wanted ? wanted : visit_all(map, &r);
  *out_owner = r.owner == ET_NO_OWNER ? other : r.owner;
  return other == r.owner;
}
