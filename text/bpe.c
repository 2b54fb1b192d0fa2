#include "executorch/text/bpe.h"

#include <string.h>

#include "text/added.h"
#include "text/cursor.h"
#include "text/split.h"
#include "text/stream.h"
#include "text/utf8.h"

#define NO_MERGE UINT32_MAX

/* One call of et_bpe_encode. */
typedef struct encoder {
  const et_bpe_vocabulary *vocabulary;
  int64_t *tokens;
  size_t count;
  size_t capacity;
  et_bpe_symbol *work;
  size_t work_count;
  bool continues;     /* other text precedes */
  bool is_start;      /* nothing precedes the next part */
  bool prefix;        /* a space precedes the next word */
  bool after_unknown; /* the last token is the unknown token */
} encoder;

/* Writes a token. Unknown characters in succession become one unknown token. */
static void put(encoder *e, uint32_t token) {
  const et_bpe_vocabulary *vocabulary = e->vocabulary;
  const bool is_unknown =
      vocabulary->joins_unknown && token == vocabulary->byte_tokens[0];
  const bool is_joined = is_unknown && e->after_unknown;
  e->after_unknown = is_unknown;
  if (!is_joined && e->count < e->capacity) {
    e->tokens[e->count++] = token;
  }
}

/* Returns the index of the merge of two tokens, or NO_MERGE. */
static uint32_t find_merge(const et_bpe_vocabulary *vocabulary, uint32_t left,
                           uint32_t right) {
  uint32_t low = vocabulary->starts[left];
  uint32_t high = vocabulary->starts[left + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (vocabulary->rights[middle] < right) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found =
      low < vocabulary->starts[left + 1] && vocabulary->rights[low] == right;
  return found ? low : NO_MERGE;
}

static uint32_t rank_of(const et_bpe_vocabulary *vocabulary, uint32_t left,
                        uint32_t right) {
  const uint32_t merge =
      left < vocabulary->count ? find_merge(vocabulary, left, right) : NO_MERGE;
  return merge == NO_MERGE ? NO_MERGE : vocabulary->ranks[merge];
}

static uint32_t lowest_rank(const et_bpe_symbol *symbols, size_t count) {
  uint32_t lowest = NO_MERGE;
  for (size_t i = 0; i < count; ++i) {
    if (symbols[i].rank < lowest) {
      lowest = symbols[i].rank;
    }
  }
  return lowest;
}

/* Merges the first pair of rank `rank`, repeatedly, until a result can be merged at a lower rank.
 * Returns the number of remaining symbols. */
static size_t merge_rank(const et_bpe_vocabulary *vocabulary,
                         et_bpe_symbol *symbols, size_t count, uint32_t rank) {
  bool merges = true;
  size_t kept = 0; /* the last of the symbols that are complete up to here */
  size_t next = 1; /* the symbol after it */
  while (next < count) {
    if (!merges || symbols[kept].rank != rank) {
      symbols[++kept] = symbols[next++];
      continue;
    }
    const uint32_t token = vocabulary->results[find_merge(
        vocabulary, symbols[kept].token, symbols[next++].token)];
    symbols[kept].token = token;
    symbols[kept].rank = next < count
                             ? rank_of(vocabulary, token, symbols[next].token)
                             : NO_MERGE;
    merges = symbols[kept].rank >= rank;
    if (kept > 0) {
      const uint32_t before =
          rank_of(vocabulary, symbols[kept - 1].token, token);
      symbols[kept - 1].rank = before;
      merges = merges && before >= rank;
      if (before ==
          rank) { /* The pair with the symbol before is the first one. */
        symbols[--next] = symbols[kept--];
      }
    }
  }
  return kept + 1;
}

/* Compares two byte strings in the order of memcmp; a prefix precedes the longer string. */
static int compare(const char *a, size_t a_size, const char *b, size_t b_size) {
  const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Returns the token with these bytes, or `count` if there is none. */
static uint32_t find_token(const et_bpe_vocabulary *vocabulary,
                           const char *bytes, size_t size) {
  uint32_t low = 0;
  uint32_t high = vocabulary->sorted_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t token = vocabulary->sorted[middle];
    size_t piece_size;
    const char *piece = et_bpe_piece(vocabulary, token, &piece_size);
    const int order = compare(piece, piece_size, bytes, size);
    if (order == 0) {
      return token;
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return vocabulary->count;
}

static size_t put_bytes(const et_bpe_vocabulary *vocabulary, const char *bytes,
                        size_t size, et_bpe_symbol *symbols) {
  for (size_t i = 0; i < size; ++i) {
    symbols[i].token = vocabulary->byte_tokens[(uint8_t)bytes[i]];
  }
  return size;
}

static size_t put_characters(const et_bpe_vocabulary *vocabulary,
                             const char *word, size_t size,
                             et_bpe_symbol *symbols) {
  size_t count = 0;
  for (size_t at = 0; at < size;) {
    const size_t start = at;
    const bool is_space = et_text_decode(word, size, &at) == ET_TEXT_SPACE_MARK;
    const uint32_t token =
        is_space ? find_token(vocabulary, " ", 1)
                 : find_token(vocabulary, word + start, at - start);
    if (token < vocabulary->count) {
      symbols[count++].token = token;
    } else {
      count += put_bytes(vocabulary, word + start, at - start, symbols + count);
    }
  }
  return count;
}

/* Writes the initial symbols of a word, and returns their number. */
static size_t begin_word(encoder *e, const char *word, size_t size) {
  const et_bpe_vocabulary *vocabulary = e->vocabulary;
  et_bpe_symbol *symbols = e->work;
  size_t count = 0;
  if (vocabulary->initial == ET_BPE_BYTES) {
    count = put_bytes(vocabulary, word, size, symbols);
  } else {
    if (e->prefix) {
      symbols[count++].token = find_token(vocabulary, " ", 1);
      e->prefix = false;
    }
    count += put_characters(vocabulary, word, size, symbols + count);
  }
  for (size_t i = 0; i + 1 < count; ++i) {
    symbols[i].rank =
        rank_of(vocabulary, symbols[i].token, symbols[i + 1].token);
  }
  symbols[count - 1].rank = NO_MERGE;
  return count;
}

static void put_word(encoder *e, const char *word, size_t size) {
  const et_bpe_vocabulary *vocabulary = e->vocabulary;
  if (vocabulary->pretokenizer.ignore_merges && !e->prefix) {
    const uint32_t token = find_token(vocabulary, word, size);
    if (token < vocabulary->count) {
      put(e, token);
      return;
    }
  }
  size_t count = begin_word(e, word, size);
  for (uint32_t rank = lowest_rank(e->work, count); rank != NO_MERGE;
       rank = lowest_rank(e->work, count)) {
    count = merge_rank(vocabulary, e->work, count, rank);
  }
  for (size_t i = 0; i < count; ++i) {
    if (e->work[i].token < vocabulary->count) {
      put(e, e->work[i].token);
    }
  }
}

/* Returns the size of the first part of a word of at most `most` bytes: whole characters, unless one
 * alone does not fit. */
static size_t part_size(const char *word, size_t size, size_t most) {
  if (size <= most) {
    return size;
  }
  size_t part = most;
  while (part > 0 && ((uint8_t)word[part] & 0xc0) == 0x80) {
    --part;
  }
  return part > 0 ? part : most;
}

/* Encodes the first part of a word that fits in the work entries. */
static void put_word_part(encoder *e, et_text_cursor *from, size_t end) {
  const size_t most = e->work_count - (e->prefix ? 1 : 0);
  if (from->streams == NULL) {
    const char *word = from->text + from->at;
    const size_t size = part_size(word, end - from->at, most);
    put_word(e, word, size);
    from->at += size;
    return;
  }
  /* The word is written to the end of the entries, and read before begin_word overwrites it: the
   * symbols for its first i bytes are at most i, or i + 1 with a prefix, so they end at byte
   * 8 * (i + 1) at most; byte i is at 8 * work_count - most + i. */
  char *word = (char *)(e->work + e->work_count) - most;
  size_t size = 0;
  while (from->at < end && most - size >= ET_TEXT_UTF8_MAX) {
    size += et_text_encode(et_text_cursor_next(from, end), word + size);
  }
  put_word(e, word, size);
}

/* Encodes a piece of text that splitters 0 .. number - 1 have produced. */
static void put_piece(encoder *e, uint32_t number, et_text_cursor *from,
                      size_t end) {
  const et_bpe_pretokenizer *pretokenizer = &e->vocabulary->pretokenizer;
  while (from->at < end && e->count < e->capacity) {
    if (number == pretokenizer->splitter_count) {
      put_word_part(e, from, end);
    } else {
      put_piece(e, number + 1, from,
                et_text_piece_end(pretokenizer, number, from, end));
    }
  }
}

/* Decides whether a space is added before a part of the text that starts with `first`. */
static void begin_part(encoder *e, uint32_t first) {
  if (e->vocabulary->prefix == ET_BPE_PREFIX_TEXT) {
    e->prefix = e->is_start && first != ' ' && first != ET_TEXT_SPACE_MARK;
  }
  e->prefix = e->prefix && e->work_count > 1;
  e->is_start = false;
}

/* Encodes text that the normalizer does not change, or its output. */
static void put_normalized(encoder *e, et_text_cursor *from, size_t end) {
  const et_text_trie *added = &e->vocabulary->normalizer->added;
  while (from->at < end && e->count < e->capacity) {
    uint32_t token = 0;
    size_t token_end = end;
    const size_t start =
        added->labels != NULL
            ? et_text_cursor_find(from, end, added, &token_end, &token)
            : end;
    put_piece(e, 0, from, start);
    if (start < end) {
      put(e, token);
      e->prefix = false;
    }
    while (from->at < token_end && e->count < e->capacity) {
      (void)et_text_cursor_next(from, token_end);
    }
  }
}

/* Encodes a part of the text with the normalizer. The streams need 6 KB of stack, so this function is
 * not inlined into those that all vocabularies use. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void normalize_part(encoder *e, const char *text, size_t size) {
  et_text_stream streams[kCursorStreams];
  const et_text_normalizer *steps = &e->vocabulary->normalizer->steps;
  bool changes = false;
  size_t same = 0; /* bytes before the first change */
  size_t count = 0;
  et_text_stream_init(streams, steps, text, size);
  streams->continues = e->continues;
  for (uint32_t point = et_text_stream_next(streams); point != ET_TEXT_END;
       point = et_text_stream_next(streams), ++count) {
    char bytes[ET_TEXT_UTF8_MAX];
    const size_t length = et_text_encode(point, bytes);
    changes = changes || length > size - same ||
              memcmp(text + same, bytes, length) != 0;
    same += changes ? 0 : length;
    if (count == 0) {
      e->is_start = e->is_start && !streams->has_lost_start;
      begin_part(e, point);
    }
  }
  changes = changes || same < size;
  et_text_stream_init(streams, steps, text, size);
  streams->continues = e->continues;
  et_text_cursor from = {text, changes ? streams : NULL, 0};
  put_normalized(e, &from, changes ? count : size);
}

/* Encodes a part of the text between tokens of `added`. */
static void put_part(encoder *e, const char *text, size_t size) {
  if (size == 0) {
    return;
  }
  if (e->vocabulary->normalizer != NULL) {
    normalize_part(e, text, size);
    return;
  }
  size_t first_end = 0;
  begin_part(e, et_text_decode(text, size, &first_end));
  et_text_cursor from = {.text = text};
  put_piece(e, 0, &from, size);
}

/* Returns the number of work entries without which no text can be encoded. */
static size_t least_work_count(const et_bpe_vocabulary *vocabulary) {
  return vocabulary->normalizer != NULL ? ET_TEXT_UTF8_MAX + 1 : 1;
}

static size_t encode(const et_bpe_vocabulary *vocabulary, const char *text,
                     size_t size, int64_t *tokens, size_t capacity,
                     et_bpe_symbol *work, size_t work_count, bool continues) {
  const bool has_part_prefix = vocabulary->prefix == ET_BPE_PREFIX_PARTS;
  encoder e = {.vocabulary = vocabulary,
               .tokens = tokens,
               .capacity =
                   work_count < least_work_count(vocabulary) ? 0 : capacity,
               .work = work,
               .work_count = work_count,
               .continues = continues,
               .is_start = !continues,
               .prefix = has_part_prefix && !continues};
  const et_text_added added = {vocabulary->bytes, vocabulary->offsets,
                               vocabulary->added, vocabulary->added_starts};
  for (size_t at = 0; at < size && e.count < e.capacity;) {
    uint32_t token = 0;
    size_t length = 0;
    const size_t start = et_text_find_added(&added, text, size, at, &token);
    put_part(&e, text + at, start - at);
    if (start < size) {
      put(&e, token);
      (void)et_bpe_piece(vocabulary, token, &length);
      e.continues = false;
      e.is_start = false;
      e.prefix = has_part_prefix;
    }
    at = start + length;
  }
  return e.count;
}

size_t et_bpe_encode(const et_bpe_vocabulary *vocabulary, const char *text,
                     size_t size, int64_t *tokens, size_t capacity,
                     et_bpe_symbol *work, size_t work_count) {
  return encode(vocabulary, text, size, tokens, capacity, work, work_count,
                false);
}

size_t et_bpe_encode_rest(const et_bpe_vocabulary *vocabulary, const char *text,
                          size_t size, int64_t *tokens, size_t capacity,
                          et_bpe_symbol *work, size_t work_count) {
  return encode(vocabulary, text, size, tokens, capacity, work, work_count,
                true);
}

const char *et_bpe_piece(const et_bpe_vocabulary *vocabulary, int64_t token,
                         size_t *size) {
  if (token < 0 || token >= (int64_t)vocabulary->count) {
    *size = 0;
    return vocabulary->bytes;
  }
  const uint32_t start = vocabulary->offsets[token];
  *size = vocabulary->offsets[token + 1] - start;
  return vocabulary->bytes + start;
}
