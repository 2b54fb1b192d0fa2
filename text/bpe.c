#include "executorch/text/bpe.h"

#include <string.h>

#include "text/pretokenize.h"

#define NO_MERGE UINT32_MAX

typedef struct tokens_out {
  int64_t *tokens;
  size_t count;
  size_t capacity;
} tokens_out;

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

/* Merges every pair of rank `rank`, from left to right, and returns the number
 * of remaining symbols. A merged symbol keeps the rank, as a mark for
 * rank_merged(). One pass is equivalent to merging one pair at a time, because
 * merges of the resulting token have higher ranks. */
static size_t merge_all(const et_bpe_vocabulary *vocabulary,
                        et_bpe_symbol *symbols, size_t count, uint32_t rank) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++kept) {
    symbols[kept] = symbols[i];
    if (symbols[i].rank == rank) {
      const uint32_t merge =
          find_merge(vocabulary, symbols[i].token, symbols[i + 1].token);
      symbols[kept].token = vocabulary->results[merge];
      ++i;
    }
    ++i;
  }
  return kept;
}

/* Updates the ranks of merged symbols, and of the symbols before them. */
static void rank_merged(const et_bpe_vocabulary *vocabulary,
                        et_bpe_symbol *symbols, size_t count, uint32_t rank) {
  for (size_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count;
    if (symbols[i].rank == rank || (!is_last && symbols[i + 1].rank == rank)) {
      symbols[i].rank =
          is_last ? NO_MERGE
                  : rank_of(vocabulary, symbols[i].token, symbols[i + 1].token);
    }
  }
}

static size_t begin_word(const et_bpe_vocabulary *vocabulary, const char *word,
                         size_t size, et_bpe_symbol *symbols) {
  for (size_t i = 0; i < size; ++i) {
    symbols[i].token = vocabulary->byte_tokens[(uint8_t)word[i]];
  }
  for (size_t i = 0; i + 1 < size; ++i) {
    symbols[i].rank =
        rank_of(vocabulary, symbols[i].token, symbols[i + 1].token);
  }
  symbols[size - 1].rank = NO_MERGE;
  return size;
}

static void put(tokens_out *out, uint32_t token) {
  if (out->count < out->capacity) {
    out->tokens[out->count++] = token;
  }
}

/* Compares two byte strings in the order of memcmp; a prefix precedes the longer string. */
static int compare(const char *a, size_t a_size, const char *b, size_t b_size) {
  const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Writes the token that equals the whole word, if there is one. */
static bool put_whole(const et_bpe_vocabulary *vocabulary, const char *word,
                      size_t size, tokens_out *out) {
  uint32_t low = 0;
  uint32_t high =
      vocabulary->pretokenizer.ignore_merges ? vocabulary->count : 0;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t token = vocabulary->sorted[middle];
    size_t piece_size;
    const char *piece = et_bpe_piece(vocabulary, token, &piece_size);
    const int order = compare(piece, piece_size, word, size);
    if (order == 0) {
      put(out, token);
      return true;
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return false;
}

static void put_word(const et_bpe_vocabulary *vocabulary, const char *word,
                     size_t size, et_bpe_symbol *symbols, tokens_out *out) {
  if (put_whole(vocabulary, word, size, out)) {
    return;
  }
  size_t count = begin_word(vocabulary, word, size, symbols);
  for (uint32_t rank = lowest_rank(symbols, count); rank != NO_MERGE;
       rank = lowest_rank(symbols, count)) {
    count = merge_all(vocabulary, symbols, count, rank);
    rank_merged(vocabulary, symbols, count, rank);
  }
  for (size_t i = 0; i < count; ++i) {
    if (symbols[i].token < vocabulary->count) {
      put(out, symbols[i].token);
    }
  }
}

/* Encodes the words of text[at .. size), in pieces of at most `work_count` bytes. */
static void put_words(const et_bpe_vocabulary *vocabulary, const char *text,
                      size_t size, size_t at, et_bpe_symbol *work,
                      size_t work_count, tokens_out *out) {
  while (at < size && out->count < out->capacity) {
    const size_t end =
        et_text_word_end(&vocabulary->pretokenizer, text, size, at);
    while (at < end) {
      const size_t part = end - at < work_count ? end - at : work_count;
      put_word(vocabulary, text + at, part, work, out);
      at += part;
    }
  }
}

/* Encodes text[at .. size), which contains no user-defined tokens. */
static void put_text(const et_bpe_vocabulary *vocabulary, const char *text,
                     size_t size, size_t at, et_bpe_symbol *work,
                     size_t work_count, tokens_out *out) {
  while (at < size && out->count < out->capacity) {
    size_t digit_end = size;
    size_t digit = size;
    if (vocabulary->pretokenizer.split_digits) {
      digit = et_text_next_digit(text, size, at, &digit_end);
    }
    put_words(vocabulary, text, digit, at, work, work_count, out);
    put_words(vocabulary, text, digit_end, digit, work, work_count, out);
    at = digit_end;
  }
}

/* Finds the leftmost user-defined token in text[at .. size); if several start
 * there, the longest one. Returns its position and sets *token, or returns
 * `size` if there is none. */
static size_t find_added(const et_bpe_vocabulary *vocabulary, const char *text,
                         size_t size, size_t at, uint32_t *token) {
  for (; vocabulary->added != NULL && at < size; ++at) {
    const uint8_t first = (uint8_t)text[at];
    const uint32_t end = vocabulary->added_starts[first + 1];
    for (uint32_t i = vocabulary->added_starts[first]; i < end; ++i) {
      size_t length;
      const char *piece =
          et_bpe_piece(vocabulary, vocabulary->added[i], &length);
      if (length <= size - at && memcmp(piece, text + at, length) == 0) {
        *token = vocabulary->added[i];
        return at;
      }
    }
  }
  return size;
}

size_t et_bpe_encode(const et_bpe_vocabulary *vocabulary, const char *text,
                     size_t size, int64_t *tokens, size_t capacity,
                     et_bpe_symbol *work, size_t work_count) {
  tokens_out out = {tokens, 0, work_count > 0 ? capacity : 0};
  for (size_t at = 0; at < size && out.count < out.capacity;) {
    uint32_t token;
    size_t length = 0;
    const size_t start = find_added(vocabulary, text, size, at, &token);
    put_text(vocabulary, text, start, at, work, work_count, &out);
    if (start < size) {
      put(&out, token);
      (void)et_bpe_piece(vocabulary, token, &length);
    }
    at = start + length;
  }
  return out.count;
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
