/* Normalization of text before it is tokenized: a sequence of steps, such as NFKC or lower-casing.
 *
 * Each step reads characters from the previous one and returns characters one by one, so a text is
 * never stored. A build generates the tables of a vocabulary's steps. */
#ifndef EXECUTORCH_TEXT_NORMALIZER_H_
#define EXECUTORCH_TEXT_NORMALIZER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ET_TEXT_MAX_STEPS 12
/* Characters that a step can look ahead. Longer runs of combining marks are normalized in parts. */
#define ET_TEXT_MAX_AHEAD 32

typedef struct et_text_stream et_text_stream;

/* A step of a normalizer. `next` returns the next character, or UINT32_MAX after the last one. */
typedef struct et_text_step {
  uint32_t (*next)(et_text_stream *stream, uint32_t number);
  const void *table; /* its type depends on `next` */
} et_text_step;

typedef struct et_text_normalizer {
  const et_text_step *steps;
  uint32_t step_count; /* at most ET_TEXT_MAX_STEPS */
  /* Each byte of invalid UTF-8 becomes U+FFFD, as in SentencePiece. Otherwise, each maximal prefix
   * of a valid character does, as in Python. */
  bool replaces_bytes;
} et_text_normalizer;

/* ---- Tables of steps ---- */

/* Strings by number: string i is points[starts[i]] .. points[starts[i + 1] - 1]. */
typedef struct et_text_strings {
  const uint32_t *points;
  const uint32_t *starts;
} et_text_strings;

/* Characters firsts[i] .. lasts[i] have the value values[i]; ranges ascend and do not overlap.
 * pages[p] is the first range that ends at character 256 * p or later. */
typedef struct et_text_ranges {
  const uint32_t *firsts;
  const uint32_t *lasts;
  const uint32_t *values;
  uint32_t count;
  const uint16_t *pages;
  uint32_t page_count; /* the last page has a range */
} et_text_ranges;

/* Byte strings with values. The children of node i are first_children[i] ..
 * first_children[i + 1] - 1, in order of their labels; node 0 is the root. */
typedef struct et_text_trie {
  const uint32_t *first_children; /* an entry per node, and one more */
  const uint8_t *labels;          /* the last byte of a node's string */
  const uint32_t *values;         /* the value plus 1, or 0 */
} et_text_trie;

/* Replaces characters by strings, whose numbers are the values of `ranges`. */
typedef struct et_text_map {
  et_text_ranges ranges;
  et_text_strings strings;
  bool decomposes_hangul;
} et_text_map;
uint32_t et_text_map_next(et_text_stream *stream, uint32_t number);

/* Orders combining marks by their combining class, the value of `classes`; if `compositions` is not
 * NULL, composes characters. A composition is {first, second, result}, sorted. */
typedef struct et_text_order {
  et_text_ranges classes;
  const uint32_t (*compositions)[3];
  uint32_t composition_count;
} et_text_order;
uint32_t et_text_order_next(et_text_stream *stream, uint32_t number);

/* Replaces the longest string of the trie at each position by a string, as in SentencePiece. The
 * strings of `symbols` remain unchanged. This step must be the first: it reads the text. */
typedef struct et_text_charsmap {
  et_text_trie trie;
  et_text_strings strings;
  const et_text_trie *symbols; /* may be NULL */
} et_text_charsmap;
uint32_t et_text_charsmap_next(et_text_stream *stream, uint32_t number);

/* Replaces grapheme clusters and characters by strings, as in the package `tokenizers`: if a
 * cluster of less than 6 bytes starts with a string of the trie, the shortest such string's
 * replacement replaces the cluster. Otherwise, characters of the trie are replaced. */
typedef struct et_text_cluster_map {
  et_text_charsmap charsmap;
  et_text_ranges clusters; /* values are et_text_cluster */
} et_text_cluster_map;
typedef enum et_text_cluster {
  ET_TEXT_CLUSTER_OTHER,
  ET_TEXT_CLUSTER_CR,
  ET_TEXT_CLUSTER_LF,
  ET_TEXT_CLUSTER_CONTROL,
  ET_TEXT_CLUSTER_EXTEND,
  ET_TEXT_CLUSTER_NON_JOINER, /* extends a cluster, but does not connect consonants */
  ET_TEXT_CLUSTER_LINKER,
  ET_TEXT_CLUSTER_ZWJ,
  ET_TEXT_CLUSTER_REGIONAL_INDICATOR,
  ET_TEXT_CLUSTER_PREPEND,
  ET_TEXT_CLUSTER_SPACING_MARK,
  ET_TEXT_CLUSTER_L,
  ET_TEXT_CLUSTER_V,
  ET_TEXT_CLUSTER_T,
  ET_TEXT_CLUSTER_PICTOGRAPHIC,
  ET_TEXT_CLUSTER_CONSONANT,
} et_text_cluster;
uint32_t et_text_cluster_map_next(et_text_stream *stream, uint32_t number);

/* Replaces a string of 1 to ET_TEXT_MAX_AHEAD characters by another. If `repeats` is set, the match
 * includes all repetitions of the pattern's last character that follow. */
typedef struct et_text_replacement {
  const uint32_t *pattern;
  uint32_t pattern_count;
  const uint32_t *content;
  uint32_t content_count;
  bool repeats;
} et_text_replacement;
uint32_t et_text_replace_next(et_text_stream *stream, uint32_t number);

/* Removes white space at the start and at the end of a text. */
typedef struct et_text_strip {
  bool left;
  bool right;
} et_text_strip;
uint32_t et_text_strip_next(et_text_stream *stream, uint32_t number);

/* Adds characters before a text that is not empty and does not continue other text. */
typedef struct et_text_prefix {
  const uint32_t *points;
  uint32_t count;
} et_text_prefix;
uint32_t et_text_prefix_next(et_text_stream *stream, uint32_t number);

/* Replaces spaces by U+2581, as SentencePiece does. */
typedef struct et_text_spaces {
  bool
      prefix; /* a space is added before a text that is not empty and does not continue other text */
  bool
      merges; /* spaces at both ends of a text, and after spaces, are removed */
} et_text_spaces;
uint32_t et_text_spaces_next(et_text_stream *stream, uint32_t number);

/* ---- Streams ---- */

/* State of a step. */
typedef struct et_text_step_state {
  const uint32_t *results; /* characters to return next, in a table */
  uint32_t result_count;
  /* Characters from the previous step. The first `ready_count` are to be returned next. */
  uint32_t ahead[ET_TEXT_MAX_AHEAD + 1];
  uint32_t ahead_count;
  uint32_t ready_count;
  uint32_t flags;    /* 0 at first; their meaning depends on the step */
  bool has_returned; /* a character */
  size_t limit;
} et_text_step_state;

/* A text that is being normalized. */
struct et_text_stream {
  const et_text_normalizer *normalizer;
  const char *text;
  size_t size;
  size_t at;
  bool continues;      /* other text precedes, so a prefix is not added */
  bool has_lost_start; /* a step has removed the first character */
  et_text_step_state states[ET_TEXT_MAX_STEPS];
};

/* Starts the normalization of a text. */
void et_text_stream_init(et_text_stream *stream,
                         const et_text_normalizer *normalizer, const char *text,
                         size_t size);

/* Makes `to` read the rest of the text that `from` reads, independently. */
void et_text_stream_copy(et_text_stream *to, const et_text_stream *from);

/* Returns the next character of the normalized text, or UINT32_MAX after the last one. */
uint32_t et_text_stream_next(et_text_stream *stream);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_NORMALIZER_H_ */
