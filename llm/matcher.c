#include "llm/matcher.h"

#include <string.h>

static bool is_loop(const et_grammar *grammar, uint16_t state) {
  return state < grammar->loop_count;
}

/* Returns whether an edge leaves the frame. */
static bool can_continue(const et_grammar *grammar, llm_frame frame) {
  if (is_loop(grammar, frame.state) && grammar->most[frame.state] != 0 &&
      frame.count >= grammar->most[frame.state]) {
    return false;
  }
  return grammar->edge_starts[frame.state] !=
         grammar->edge_starts[frame.state + 1];
}

/* Returns whether the rule of the frame can end. */
static bool can_end(const et_grammar *grammar, llm_frame frame) {
  return is_loop(grammar, frame.state)
             ? frame.count >= grammar->least[frame.state]
             : grammar->can_end[frame.state];
}

static bool same(llm_frame a, llm_frame b) {
  return a.state == b.state && a.count == b.count && a.below == b.below;
}

/* Adds a top to a level, unless it has it. */
static bool add_top(llm_matcher *matcher, llm_level *level, llm_frame top) {
  llm_frame *tops = matcher->tops + level->first_top;
  for (size_t i = 0; i < level->top_count; ++i) {
    if (same(tops[i], top)) {
      return true;
    }
  }
  if (level->top_count == LLM_MATCHER_MOST_TOPS ||
      level->first_top + level->top_count == LLM_MATCHER_TOPS) {
    matcher->is_limited = true;
    return false;
  }
  tops[level->top_count++] = top;
  return true;
}

/* Adds a frame to a level as a top, and the frames that wait below it while rules can end. */
static bool add_frame(llm_matcher *matcher, llm_level *level, llm_frame frame) {
  const et_grammar *grammar = matcher->grammar;
  for (;;) {
    if (can_continue(grammar, frame) && !add_top(matcher, level, frame)) {
      return false;
    }
    if (!can_end(grammar, frame)) {
      return true;
    }
    if (frame.below == LLM_NO_NODE) {
      level->can_end = true;
      return true;
    }
    frame = matcher->nodes[frame.below];
  }
}

/* Sets *below to the node of a frame. Nodes above a node have higher indices. */
static bool push_node(llm_matcher *matcher, llm_level *level, llm_frame frame,
                      uint16_t *below) {
  size_t i = frame.below == LLM_NO_NODE ? 0 : (size_t)frame.below + 1;
  while (i < level->node_count && !same(matcher->nodes[i], frame)) {
    ++i;
  }
  if (i == LLM_MATCHER_NODES) {
    matcher->is_limited = true;
    return false;
  }
  if (i == level->node_count) {
    matcher->nodes[level->node_count++] = frame;
  }
  *below = (uint16_t)i;
  return true;
}

/* Returns the count of a new frame: a loop begins its first repetition, or the next one if the edge
 * leaves the loop itself. A loop without a limit counts only up to its minimum. */
static uint16_t next_count(const et_grammar *grammar, llm_frame from,
                           uint16_t state) {
  if (!is_loop(grammar, state)) {
    return 0;
  }
  const uint16_t count = from.state == state ? from.count : 0;
  const bool saturates =
      grammar->most[state] == 0 && count >= grammar->least[state];
  return saturates ? count : (uint16_t)(count + 1);
}

static bool follow(llm_matcher *matcher, llm_level *level, llm_frame from,
                   const et_grammar_edge *edge) {
  const et_grammar *grammar = matcher->grammar;
  uint16_t below = from.below;
  for (size_t i = 0; i < edge->pushed_count; ++i) {
    const uint16_t state = grammar->pushed[edge->pushed + i];
    const llm_frame frame = {state, next_count(grammar, from, state), below};
    if (!push_node(matcher, level, frame, &below)) {
      return false;
    }
  }
  const llm_frame top = {edge->target, next_count(grammar, from, edge->target),
                         below};
  return add_frame(matcher, level, top);
}

void llm_matcher_start(llm_matcher *matcher, const et_grammar *grammar) {
  const llm_level empty = {0, 0, 0, false};
  const llm_frame start = {grammar->start, 0, LLM_NO_NODE};
  matcher->grammar = grammar;
  matcher->depth = 0;
  matcher->is_limited = false;
  matcher->levels[0] = empty;
  (void)add_frame(matcher, &matcher->levels[0], start);
}

bool llm_matcher_push(llm_matcher *matcher, uint8_t byte) {
  const et_grammar *grammar = matcher->grammar;
  const llm_level *from = &matcher->levels[matcher->depth];
  llm_level level = {(uint16_t)(from->first_top + from->top_count), 0,
                     from->node_count, false};
  for (size_t i = 0; i < from->top_count; ++i) {
    const llm_frame top = matcher->tops[from->first_top + i];
    const et_grammar_edge *edge =
        grammar->edges + grammar->edge_starts[top.state];
    const et_grammar_edge *end =
        grammar->edges + grammar->edge_starts[top.state + 1];
    for (; edge != end && edge->first <= byte; ++edge) {
      if (byte <= edge->last && !follow(matcher, &level, top, edge)) {
        return false;
      }
    }
  }
  if (level.top_count == 0 && !level.can_end) {
    return false;
  }
  matcher->levels[++matcher->depth] = level;
  return true;
}

void llm_matcher_back(llm_matcher *matcher, size_t depth) {
  matcher->depth = depth;
}

/* Removes the nodes that no top needs. */
static void remove_nodes(llm_matcher *matcher, llm_level *level) {
  uint16_t moved[LLM_MATCHER_NODES];
  uint16_t count = 0;
  memset(moved, 0, sizeof moved);
  for (size_t i = 0; i < level->top_count; ++i) {
    uint16_t node = matcher->tops[i].below;
    while (node != LLM_NO_NODE && moved[node] == 0) {
      moved[node] = 1;
      node = matcher->nodes[node].below;
    }
  }
  /* Lower nodes have lower indices, so they have moved before the nodes above them. */
  for (size_t i = 0; i < level->node_count; ++i) {
    if (moved[i] != 0) {
      llm_frame node = matcher->nodes[i];
      if (node.below != LLM_NO_NODE) {
        node.below = moved[node.below];
      }
      matcher->nodes[count] = node;
      moved[i] = count++;
    }
  }
  for (size_t i = 0; i < level->top_count; ++i) {
    llm_frame *top = &matcher->tops[i];
    if (top->below != LLM_NO_NODE) {
      top->below = moved[top->below];
    }
  }
  level->node_count = count;
}

void llm_matcher_commit(llm_matcher *matcher) {
  llm_level level = matcher->levels[matcher->depth];
  memmove(matcher->tops, matcher->tops + level.first_top,
          level.top_count * sizeof *matcher->tops);
  level.first_top = 0;
  remove_nodes(matcher, &level);
  matcher->levels[0] = level;
  matcher->depth = 0;
}

bool llm_matcher_can_end(const llm_matcher *matcher) {
  return matcher->levels[matcher->depth].can_end;
}

bool llm_matcher_can_continue(const llm_matcher *matcher) {
  return matcher->levels[matcher->depth].top_count != 0;
}
