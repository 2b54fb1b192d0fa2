/* Splits text into words. The rules are regular expressions that tokenizers
 * publish. GPT-2's is
 *
 *   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * and Llama 3's, with numbers of at most one or three digits, is
 *
 *   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
 *   ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
#include "text/pretokenize.h"

#include <string.h>

#include "text/utf8.h"

static et_character_kind kind_of(uint32_t point) {
  uint32_t low = 0;
  uint32_t high = et_character_ranges_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (et_character_ranges[middle].last < point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int inside = low < et_character_ranges_count &&
                     et_character_ranges[low].first <= point;
  return inside ? et_character_ranges[low].kind : ET_CHARACTER_OTHER;
}

/* Text and its size. */
typedef struct span {
  const char *text;
  size_t size;
} span;

/* Returns the kind of the character at `at`. Sets *end to the position after it. */
static et_character_kind kind_at(span in, size_t at, size_t *end) {
  *end = at;
  return kind_of(et_text_decode(in.text, in.size, end));
}

/* Returns the end of the run of characters of one kind from `at` on. */
static size_t run_end(span in, size_t at, et_character_kind kind) {
  size_t end = at;
  while (at < in.size && kind_at(in, at, &end) == kind) {
    at = end;
  }
  return at;
}

static bool is_line_end(char byte) { return byte == '\r' || byte == '\n'; }

static size_t line_ends(span in, size_t at) {
  while (at < in.size && is_line_end(in.text[at])) {
    ++at;
  }
  return at;
}

static char lowered(char byte) {
  return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

/* Returns true if `ending` is at position `at`. */
static bool ends_with(span in, size_t at, const char *ending, bool any_case) {
  for (size_t i = 0; ending[i] != '\0'; ++i, ++at) {
    const char byte = at < in.size ? in.text[at] : '\0';
    if ((any_case ? lowered(byte) : byte) != ending[i]) {
      return false;
    }
  }
  return true;
}

/* Returns the end of a contraction such as 've, or `at`. */
static size_t shortened_end(span in, size_t at, bool any_case) {
  static const char *const kEndings[] = {"'s", "'t",  "'re", "'ve",
                                         "'m", "'ll", "'d"};
  for (size_t i = 0; i < sizeof kEndings / sizeof *kEndings; ++i) {
    if (ends_with(in, at, kEndings[i], any_case)) {
      return at + strlen(kEndings[i]);
    }
  }
  return at;
}

/* Returns the end of white space: \s+(?!\S)|\s+. The last space before a word
 * belongs to the word. */
static size_t space_end(span in, size_t at) {
  const size_t end = run_end(in, at, ET_CHARACTER_SPACE);
  size_t last = at;
  for (size_t next = at; next < end;) {
    last = next;
    (void)et_text_decode(in.text, in.size, &next);
  }
  return end == in.size || last == at ? end : last;
}

/* Returns the end of the digits from `at` on, at most `most`; 0 means no
 * limit. */
static size_t digits_end(span in, size_t at, unsigned most) {
  size_t end = at;
  for (unsigned count = 0; at < in.size && (most == 0 || count < most);
       ++count) {
    if (kind_at(in, at, &end) != ET_CHARACTER_NUMBER) {
      break;
    }
    at = end;
  }
  return at;
}

/* Returns the end of a word, with an optional leading space, by GPT-2's
 * rules. */
static size_t gpt2_end(const et_bpe_pretokenizer *rules, span in, size_t at) {
  const size_t start = at + (in.text[at] == ' ' ? 1 : 0);
  if (start == in.size) {
    return space_end(in, at);
  }
  size_t end;
  const et_character_kind kind = kind_at(in, start, &end);
  if (kind == ET_CHARACTER_SPACE) {
    return space_end(in, at);
  }
  return kind == ET_CHARACTER_NUMBER ? digits_end(in, start, rules->max_digits)
                                     : run_end(in, start, kind);
}

/* Returns the end of letters: [^\r\n\p{L}\p{N}]?\p{L}+. Returns `at` if they do not match. */
static size_t letters_end(span in, size_t at) {
  size_t start = at;
  const et_character_kind first = kind_at(in, at, &start);
  if (first == ET_CHARACTER_LETTER) {
    return run_end(in, at, ET_CHARACTER_LETTER);
  }
  if (first == ET_CHARACTER_NUMBER || is_line_end(in.text[at])) {
    return at;
  }
  const size_t end = run_end(in, start, ET_CHARACTER_LETTER);
  return end == start ? at : end;
}

/* Returns the end of \s*[\r\n]+, or `at` if it does not match. */
static size_t lines_end(span in, size_t at) {
  const size_t end = run_end(in, at, ET_CHARACTER_SPACE);
  for (size_t i = end; i > at; --i) {
    if (is_line_end(in.text[i - 1])) {
      return i;
    }
  }
  return at;
}

/* Returns the end of punctuation: ?[^\s\p{L}\p{N}]+[\r\n]*. Returns `at` if it does not match. */
static size_t marks_end(span in, size_t at) {
  const size_t start = at + (in.text[at] == ' ' ? 1 : 0);
  const size_t end = run_end(in, start, ET_CHARACTER_OTHER);
  return end == start ? at : line_ends(in, end);
}

static size_t llama3_end(const et_bpe_pretokenizer *rules, span in, size_t at) {
  size_t end = letters_end(in, at);
  if (end == at) {
    end = digits_end(in, at, rules->max_digits);
  }
  if (end == at) {
    end = marks_end(in, at);
  }
  if (end == at) {
    end = lines_end(in, at);
  }
  return end == at ? space_end(in, at) : end;
}

size_t et_text_word_end(const et_bpe_pretokenizer *rules, const char *text,
                        size_t size, size_t at) {
  const span in = {text, size};
  const size_t shortened = shortened_end(in, at, rules->llama3_regex);
  if (shortened != at) {
    return shortened;
  }
  return rules->llama3_regex ? llama3_end(rules, in, at)
                             : gpt2_end(rules, in, at);
}

size_t et_text_next_digit(const char *text, size_t size, size_t at,
                          size_t *end) {
  const span in = {text, size};
  *end = size;
  while (at < size && kind_at(in, at, end) != ET_CHARACTER_NUMBER) {
    at = *end;
  }
  return at;
}
