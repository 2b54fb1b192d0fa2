/* A small vocabulary of byte pairs, for tests. */
#ifndef ET_TEXT_TESTING_VOCABULARY_H_
#define ET_TEXT_TESTING_VOCABULARY_H_

#include "executorch/text/byte_pairs.h"

/* Tokens 0 to 255 are the bytes; then come merges, a control token and two user-defined
 * tokens. */
enum {
  kHe = 256, /* he */
  kLl,       /* ll */
  kHell,     /* hell */
  kHello,    /* hello */
  kSpaceHe,  /* " he" */
  kAa,       /* aa */
  kAaaa,     /* aaaa */
  kOne2,     /* 12 */
  kEnd,      /* <end>, a control token */
  kThink,    /* <think>, user-defined */
  kThinks,   /* <think>!!, user-defined */
  kTokens,
};

/* With these rules, and without a token for the byte 1. */
et_byte_pair_vocabulary et_testing_vocabulary(et_byte_pair_words words);

/* The same vocabulary, in which kThink and kThinks are split from text. */
et_byte_pair_vocabulary et_testing_vocabulary_with_added(
    et_byte_pair_words words);

#endif /* ET_TEXT_TESTING_VOCABULARY_H_ */
