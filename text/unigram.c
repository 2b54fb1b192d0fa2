#include "executorch/text/unigram.h"

#include "text/added.h"
#include "text/stream.h"
#include "text/utf8.h"

/* One call of et_unigram_encode, or of et_unigram_work_count, if `work` is NULL. */
typedef struct encoder {
  const et_unigram_vocabulary *vocabulary;
  int64_t *tokens;
  size_t count;
  size_t capacity;
  et_unigram_node *work;
  size_t work_count;
  size_t size;        /* of the current word */
  size_t longest;     /* size of the longest word so far */
  double score;       /* of the words before the current one */
  bool is_text_start; /* no character precedes in the text */
  bool is_part_start; /* no character precedes in this part */
  bool after_unknown; /* the last token is the unknown token */
} encoder;

static void put(encoder *e, uint32_t token) {
  if (e->count < e->capacity) {
    e->tokens[e->count++] = token;
  }
}

/* Returns true if there is no space for another token. */
static bool is_full(const encoder *e) {
  return e->work != NULL && e->count == e->capacity;
}

/* ---- Viterbi search ---- */

/* Makes a piece the last one of the best path to nodes[end], if its score improves the path's. */
static void relax(const et_unigram_vocabulary *vocabulary,
                  et_unigram_node *nodes, size_t start, size_t end,
                  uint32_t token, double score) {
  et_unigram_node *node = &nodes[end];
  score = vocabulary->is_single_precision ? (double)(float)score : score;
  if (node->size == 0 || score > node->score) {
    node->score = score;
    node->size = (uint16_t)(end - start);
    node->token = token;
  }
}

static size_t character_size(uint8_t first) {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Finds the best path to the end of the word. The scores of nodes are those of the best paths to
 * them, and the pieces those that end there. */
static void find_best_path(const et_unigram_vocabulary *vocabulary,
                           et_unigram_node *nodes, size_t size) {
  size_t next;
  for (size_t at = 0; at < size; at = next) {
    next = at + character_size(nodes[at].byte);
    const double score = nodes[at].score;
    bool has_token = false; /* for the character alone */
    uint32_t node = 0;
    for (size_t end = at; end < size;) {
      node = et_text_child(&vocabulary->pieces, node, nodes[end].byte);
      if (node == 0) {
        break;
      }
      ++end;
      if (vocabulary->pieces.values[node] > 0) {
        const uint32_t token = vocabulary->pieces.values[node] - 1;
        relax(vocabulary, nodes, at, end, token,
              score + vocabulary->scores[token]);
        has_token = has_token || end == next;
      }
    }
    if (!has_token) {
      relax(vocabulary, nodes, at, next, vocabulary->unknown,
            score + vocabulary->unknown_score);
    }
  }
}

/* Changes the pieces of the nodes on the best path from those that end there to those that start
 * there. */
static void reverse_path(et_unigram_node *nodes, size_t size) {
  uint32_t token = nodes[size].token;
  uint16_t length = nodes[size].size;
  for (size_t end = size; end > 0;) {
    et_unigram_node *start = &nodes[end - length];
    const et_unigram_node before = *start;
    end -= length;
    start->token = token;
    start->size = length;
    token = before.token;
    length = before.size;
  }
}

static void put_unknown(encoder *e, const et_unigram_node *nodes, size_t size) {
  const uint32_t *byte_tokens = e->vocabulary->byte_tokens;
  for (size_t i = 0; byte_tokens != NULL && i < size; ++i) {
    put(e, byte_tokens[nodes[i].byte]);
  }
  if (byte_tokens == NULL && !e->after_unknown) {
    put(e, e->vocabulary->unknown);
  }
}

/* Writes the tokens of the current word, and starts the next one. */
static void end_word(encoder *e) {
  const et_unigram_vocabulary *vocabulary = e->vocabulary;
  et_unigram_node *nodes = e->work;
  const size_t size = e->size;
  e->longest = size > e->longest ? size : e->longest;
  e->size = 0;
  if (nodes == NULL || size == 0) {
    return;
  }
  if (vocabulary->words.restarts) {
    e->score = 0;
    e->after_unknown = false;
  }
  nodes[0] = (et_unigram_node){.score = e->score, .byte = nodes[0].byte};
  find_best_path(vocabulary, nodes, size);
  e->score = nodes[size].score;
  reverse_path(nodes, size);
  for (size_t at = 0; at < size; at += nodes[at].size) {
    const bool is_unknown = nodes[at].token == vocabulary->unknown;
    if (is_unknown) {
      put_unknown(e, nodes + at, nodes[at].size);
    } else {
      put(e, nodes[at].token);
    }
    e->after_unknown = is_unknown;
  }
}

/* ---- Words ---- */

static void add_byte(encoder *e, char byte) {
  if (e->work != NULL) {
    e->work[e->size].byte = (uint8_t)byte;
    e->work[e->size + 1].size = 0;
  }
  ++e->size;
}

static void add_character(encoder *e, uint32_t point) {
  char bytes[ET_TEXT_UTF8_MAX];
  const size_t size = et_text_encode(point, bytes);
  const bool is_full = e->work != NULL && e->work_count - 1 - e->size < size;
  if (is_full ||
      (point == ET_TEXT_SPACE_MARK && e->vocabulary->words.splits_at_marks)) {
    end_word(e);
  }
  for (size_t i = 0; i < size; ++i) {
    add_byte(e, bytes[i]);
  }
}

static bool has_prefix(const encoder *e, uint32_t first) {
  switch (e->vocabulary->words.prefix) {
    case ET_UNIGRAM_NO_PREFIX:
      return false;
    case ET_UNIGRAM_PREFIX_TEXT:
      return e->is_text_start && first != ET_TEXT_SPACE_MARK;
    case ET_UNIGRAM_PREFIX_PARTS:
      return first != ET_TEXT_SPACE_MARK;
  }
  return false;
}

/* Adds a character of normalized text. */
static void take(encoder *e, uint32_t point) {
  const et_unigram_words *words = &e->vocabulary->words;
  if (words->splits_at_spaces && et_text_is_space(point)) {
    end_word(e);
    e->is_part_start = true;
    e->is_text_start = false;
    return;
  }
  if (words->marks_spaces && point == ' ') {
    point = ET_TEXT_SPACE_MARK;
  }
  if (e->is_part_start && has_prefix(e, point)) {
    add_character(e, ET_TEXT_SPACE_MARK);
  }
  e->is_part_start = false;
  e->is_text_start = false;
  add_character(e, point);
}

/* Encodes text without user-defined tokens. */
static void put_text(encoder *e, const char *text, size_t size) {
  const et_unigram_vocabulary *vocabulary = e->vocabulary;
  et_text_stream stream;
  et_text_stream_init(&stream, &vocabulary->normalizer, text, size);
  e->is_part_start = true;
  e->after_unknown = false;
  e->score = 0;
  while (!is_full(e)) {
    const uint32_t point = et_text_stream_next(&stream);
    if (point == ET_TEXT_END) {
      break;
    }
    if (stream.has_lost_start &&
        vocabulary->words.prefix == ET_UNIGRAM_PREFIX_TEXT) {
      e->is_text_start = false;
    }
    take(e, point);
  }
  end_word(e);
}

static void encode(encoder *e, const char *text, size_t size) {
  const et_unigram_vocabulary *vocabulary = e->vocabulary;
  const et_text_added added = {vocabulary->bytes, vocabulary->offsets,
                               vocabulary->added, vocabulary->added_starts};
  e->is_text_start = true;
  for (size_t at = 0; at < size && !is_full(e);) {
    uint32_t token = 0;
    size_t length = 0;
    const size_t start = et_text_find_added(&added, text, size, at, &token);
    put_text(e, text + at, start - at);
    if (start < size) {
      put(e, token);
      (void)et_unigram_piece(vocabulary, token, &length);
      e->is_text_start = false;
    }
    at = start + length;
  }
}

size_t et_unigram_encode(const et_unigram_vocabulary *vocabulary,
                         const char *text, size_t size, int64_t *tokens,
                         size_t capacity, et_unigram_node *work,
                         size_t work_count) {
  if (work_count <= ET_TEXT_UTF8_MAX) {
    return 0; /* not enough for a character */
  }
  encoder e = {.vocabulary = vocabulary,
               .tokens = tokens,
               .capacity = capacity,
               .work = work,
               .work_count = work_count};
  encode(&e, text, size);
  return e.count;
}

size_t et_unigram_work_count(const et_unigram_vocabulary *vocabulary,
                             const char *text, size_t size) {
  encoder e = {.vocabulary = vocabulary};
  encode(&e, text, size);
  const size_t most =
      e.longest > ET_TEXT_UTF8_MAX ? e.longest : ET_TEXT_UTF8_MAX;
  return most + 1;
}

const char *et_unigram_piece(const et_unigram_vocabulary *vocabulary,
                             int64_t token, size_t *size) {
  if (token < 0 || token >= (int64_t)vocabulary->count) {
    *size = 0;
    return vocabulary->bytes;
  }
  const uint32_t start = vocabulary->offsets[token];
  *size = vocabulary->offsets[token + 1] - start;
  return vocabulary->bytes + start;
}
