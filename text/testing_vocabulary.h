/* A small byte-pair vocabulary for tests. */
#ifndef ET_TEXT_TESTING_VOCABULARY_H_
#define ET_TEXT_TESTING_VOCABULARY_H_

#include "executorch/text/bpe.h"

/* Tokens 0 to 255 are the bytes. Merged tokens, a control token and two user-defined tokens
 * follow. */
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

/* Returns the vocabulary with these rules. Byte 1 has no token. */
et_bpe_vocabulary et_testing_vocabulary(et_bpe_pretokenizer pretokenizer);

/* Returns the same vocabulary with kThink and kThinks as user-defined
 * tokens. */
et_bpe_vocabulary et_testing_vocabulary_with_added(
    et_bpe_pretokenizer pretokenizer);

#endif /* ET_TEXT_TESTING_VOCABULARY_H_ */
