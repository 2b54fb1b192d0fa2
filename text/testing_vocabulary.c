#include "text/testing_vocabulary.h"

#include <string.h>

typedef struct merge {
  uint32_t left;
  uint32_t right;
  const char *text;
} merge;

/* In order of rank. */
static const merge kMerges[] = {
    {'h', 'e', "he"},      {'l', 'l', "ll"},  {kHe, kLl, "hell"},
    {kHell, 'o', "hello"}, {' ', kHe, " he"}, {'a', 'a', "aa"},
    {kAa, kAa, "aaaa"},    {'1', '2', "12"},
};
enum { kMergeCount = sizeof kMerges / sizeof *kMerges };

static char bytes[512];
static uint32_t offsets[kTokens + 1];
static uint32_t starts[kTokens + 1];
static uint32_t rights[kMergeCount];
static uint32_t ranks[kMergeCount];
static uint32_t results[kMergeCount];
static uint32_t sorted[kTokens];

static void add_token(uint32_t token, const char *text, size_t size) {
  memcpy(bytes + offsets[token], text, size);
  offsets[token + 1] = offsets[token] + (uint32_t)size;
}

static void add_tokens(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    const char byte = (char)i;
    add_token(i, &byte, 1);
  }
  for (uint32_t i = 0; i < kMergeCount; ++i) {
    add_token(256 + i, kMerges[i].text, strlen(kMerges[i].text));
  }
  add_token(kEnd, "<end>", 5);
  add_token(kThink, "<think>", 7);
  add_token(kThinks, "<think>!!", 9);
}

/* Sorts merges by left token. No left token has two merges, so right tokens need no sorting. */
static void add_merges(void) {
  uint32_t count = 0;
  for (uint32_t token = 0; token < kTokens; ++token) {
    starts[token] = count;
    for (uint32_t i = 0; i < kMergeCount; ++i) {
      if (kMerges[i].left == token) {
        rights[count] = kMerges[i].right;
        ranks[count] = i;
        results[count++] = 256 + i;
      }
    }
  }
  starts[kTokens] = count;
}

static int compare(uint32_t a, uint32_t b) {
  const uint32_t a_size = offsets[a + 1] - offsets[a];
  const uint32_t b_size = offsets[b + 1] - offsets[b];
  const int order = memcmp(bytes + offsets[a], bytes + offsets[b],
                           a_size < b_size ? a_size : b_size);
  return order != 0 ? order : (int)a_size - (int)b_size;
}

static void sort_tokens(void) {
  for (uint32_t i = 0; i < kTokens; ++i) {
    uint32_t at = i;
    for (; at > 0 && compare(sorted[at - 1], i) > 0; --at) {
      sorted[at] = sorted[at - 1];
    }
    sorted[at] = i;
  }
}

et_bpe_vocabulary et_testing_vocabulary(et_bpe_pretokenizer pretokenizer) {
  add_tokens();
  add_merges();
  sort_tokens();
  et_bpe_vocabulary vocabulary = {.bytes = bytes,
                                  .offsets = offsets,
                                  .count = kTokens,
                                  .starts = starts,
                                  .rights = rights,
                                  .ranks = ranks,
                                  .results = results,
                                  .sorted = sorted,
                                  .sorted_count = kTokens,
                                  .pretokenizer = pretokenizer};
  for (uint32_t i = 0; i < 256; ++i) {
    vocabulary.byte_tokens[i] = i == 1 ? kTokens : i;
  }
  return vocabulary;
}

et_bpe_vocabulary et_testing_vocabulary_with_added(
    et_bpe_pretokenizer pretokenizer) {
  static const uint32_t added[] = {kThinks, kThink};
  static uint32_t added_starts[257];
  for (uint32_t byte = 0; byte < 257; ++byte) {
    added_starts[byte] = byte > '<' ? 2 : 0;
  }
  et_bpe_vocabulary vocabulary = et_testing_vocabulary(pretokenizer);
  vocabulary.added = added;
  vocabulary.added_starts = added_starts;
  return vocabulary;
}
