#include "runtime/method/intervals.h"

#include "executorch/method_layout.h"
#include "runtime/core/sort.h"

/* Of a node whose pieces have several owners. */
#define MIXED (ET_NO_OWNER - 1)

/* A node of the tree: its place in `owners`, and its pieces. All below 2^22, as there are
 * no more than ET_LIMIT_VALUES ranges; so small that a node is passed in registers. */
typedef struct node {
  uint32_t place;
  uint32_t first;
  uint32_t past;
} node;

/* A tree over n pieces has 2n - 1 nodes: a node, all of its left child, all of its
 * right child. */
static node left_of(const node *parent) {
  const node child = {parent->place + 1, parent->first,
                      parent->first + (parent->past - parent->first) / 2};
  return child;
}

static node right_of(const node *parent) {
  const node left = left_of(parent);
  const node child = {parent->place + 2 * (left.past - left.first), left.past,
                      parent->past};
  return child;
}

static node root_of(const et_intervals *map) {
  const node root = {0, 0, (uint32_t)map->edge_count - 1};
  return root;
}

bool et_intervals_take(et_arena *arena, size_t ranges, et_intervals *out) {
  void *edges = NULL;
  void *owners = NULL;
  if (!et_arena_take(arena, ranges, 2 * sizeof *out->edges, ET_REGION_ALIGNMENT,
                     &edges) ||
      !et_arena_take(arena, ranges, 4 * sizeof *out->owners,
                     ET_REGION_ALIGNMENT, &owners)) {
    return false;
  }
  const et_intervals map = {edges, 0, owners};
  *out = map;
  return true;
}

void et_intervals_add(et_intervals *map, uintptr_t begin, uintptr_t end) {
  map->edges[map->edge_count++] = begin;
  map->edges[map->edge_count++] = end;
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

void et_intervals_start(et_intervals *map) {
  const et_sort_items items = {map, comes_before, swap};
  et_sort(&items, map->edge_count);
  size_t kept = 0;
  for (size_t i = 0; i < map->edge_count; i++) {
    if (i == 0 || map->edges[i] != map->edges[kept - 1]) {
      map->edges[kept++] = map->edges[i];
    }
  }
  map->edge_count = kept;
  if (kept != 0) {
    map->owners[0] = ET_NO_OWNER;
  }
}

/* Index of the first edge at or behind `address`, which is that of the piece that
 * begins there. */
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

/* Recursion is as deep as the tree: 32 at most, as values have 32-bit indices. */
static void assign(et_intervals *map, node at, uint32_t first, uint32_t past,
                   uint32_t owner) {
  if (past <= at.first || at.past <= first) {
    return;
  }
  uint32_t *owners = map->owners;
  if (first <= at.first && at.past <= past) {
    owners[at.place] = owner;
    return;
  }
  const node left = left_of(&at);
  const node right = right_of(&at);
  if (owners[at.place] != MIXED) {
    owners[left.place] = owners[at.place];
    owners[right.place] = owners[at.place];
  }
  assign(map, left, first, past, owner);
  assign(map, right, first, past, owner);
  owners[at.place] =
      owners[left.place] == owners[right.place] ? owners[left.place] : MIXED;
}

void et_intervals_assign(et_intervals *map, uintptr_t begin, uintptr_t end,
                         uint32_t owner) {
  assign(map, root_of(map), edge_at(map, begin), edge_at(map, end), owner);
}

/* The first owner of the pieces that is not `owner`; `owner` when there is
 * none. */
static uint32_t other_owner(const et_intervals *map, node at, uint32_t first,
                            uint32_t past, uint32_t owner) {
  if (past <= at.first || at.past <= first) {
    return owner;
  }
  if (map->owners[at.place] != MIXED) {
    return map->owners[at.place];
  }
  const uint32_t found = other_owner(map, left_of(&at), first, past, owner);
  return found != owner ? found
                        : other_owner(map, right_of(&at), first, past, owner);
}

bool et_intervals_owner(const et_intervals *map, uintptr_t begin, uintptr_t end,
                        uint32_t wanted, uint32_t *out_owner) {
  const uint32_t piece = edge_at(map, begin);
  const uint32_t first =
      other_owner(map, root_of(map), piece, piece + 1, MIXED);
  const uint32_t other =
      other_owner(map, root_of(map), piece, edge_at(map, end), first);
  const bool is_first = first != wanted && first != ET_NO_OWNER;
  *out_owner = other == first || is_first ? first : other;
  return other == first;
}
