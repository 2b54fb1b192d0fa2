/* Hangul syllables, which are ordered by first consonant, vowel and optional last consonant (Unicode
 * Standard, section 3.12). */
#ifndef ET_TEXT_HANGUL_H_
#define ET_TEXT_HANGUL_H_

#include <stdint.h>

enum {
  kHangulSyllables = 0xac00,
  kHangulLastSyllable = 0xd7a3,
  kHangulFirstConsonants = 0x1100,
  kHangulVowels = 0x1161,
  kHangulLastConsonants = 0x11a7,
  kHangulFirstConsonantCount = 19,
  kHangulVowelCount = 21,
  kHangulLastConsonantCount = 28,
};

/* Writes the two or three parts of a Hangul syllable, and returns their number. */
static inline uint32_t et_text_decompose_hangul(uint32_t syllable,
                                                uint32_t parts[3]) {
  const uint32_t index = syllable - kHangulSyllables;
  const uint32_t last = index % kHangulLastConsonantCount;
  const uint32_t rest = index / kHangulLastConsonantCount;
  parts[0] = kHangulFirstConsonants + rest / kHangulVowelCount;
  parts[1] = kHangulVowels + rest % kHangulVowelCount;
  parts[2] = kHangulLastConsonants + last;
  return last > 0 ? 3 : 2;
}

#endif /* ET_TEXT_HANGUL_H_ */
