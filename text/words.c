/* The rules are the regular expressions that tokenizers are published with. GPT-2's:
 *
 *   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * and Llama 3's, with one or three digits:
 *
 *   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
 *   ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
#include "text/words.h"

#include <string.h>

#include "text/character_kinds.h"
#include "text/utf8.h"

/* Text and where it ends. */
typedef struct span {
  const char *text;
  size_t size;
} span;

/* The kind of the character at `at`, and what follows it. */
static et_character_kind kind_at(span in, size_t at, size_t *behind) {
  *behind = at;
  return et_character_kind_of(et_text_decode(in.text, in.size, behind));
}

/* The end of the characters from `at` on that are of that kind. */
static size_t run_end(span in, size_t at, et_character_kind kind) {
  size_t behind = at;
  while (at < in.size && kind_at(in, at, &behind) == kind) {
    at = behind;
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

/* Whether `ending` stands at `at`. */
static bool ends_with(span in, size_t at, const char *ending, bool any_case) {
  for (size_t i = 0; ending[i] != '\0'; ++i, ++at) {
    const char byte = at < in.size ? in.text[at] : '\0';
    if ((any_case ? lowered(byte) : byte) != ending[i]) {
      return false;
    }
  }
  return true;
}

/* The end of a shortened word such as 've, or `at`. */
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

/* White space; its last character belongs to a word that follows. */
static size_t space_end(span in, size_t at) {
  const size_t end = run_end(in, at, ET_CHARACTER_SPACE);
  size_t last = at;
  for (size_t next = at; next < end;) {
    last = next;
    (void)et_text_decode(in.text, in.size, &next);
  }
  return end == in.size || last == at ? end : last;
}

/* Digits from `at` on, at most `most` of them unless that is 0. */
static size_t digits_end(span in, size_t at, unsigned most) {
  size_t behind = at;
  for (unsigned count = 0; at < in.size && (most == 0 || count < most);
       ++count) {
    if (kind_at(in, at, &behind) != ET_CHARACTER_NUMBER) {
      break;
    }
    at = behind;
  }
  return at;
}

/* What a word is made of from `at` on, one space before it left out. */
static size_t plain_end(const et_byte_pair_words *rules, span in, size_t at) {
  const size_t start = at + (in.text[at] == ' ' ? 1 : 0);
  if (start == in.size) {
    return space_end(in, at);
  }
  size_t behind;
  const et_character_kind kind = kind_at(in, start, &behind);
  if (kind == ET_CHARACTER_SPACE) {
    return space_end(in, at);
  }
  return kind == ET_CHARACTER_NUMBER ? digits_end(in, start, rules->digits)
                                     : run_end(in, start, kind);
}

/* Letters, with one character before them that is no letter, digit or end of a line; or
 * `at`. */
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

/* The last end of a line among white space from `at` on, or `at`. */
static size_t lines_end(span in, size_t at) {
  const size_t end = run_end(in, at, ET_CHARACTER_SPACE);
  for (size_t i = end; i > at; --i) {
    if (is_line_end(in.text[i - 1])) {
      return i;
    }
  }
  return at;
}

/* Marks, with one space before and ends of lines behind them; or `at`. */
static size_t marks_end(span in, size_t at) {
  const size_t start = at + (in.text[at] == ' ' ? 1 : 0);
  const size_t end = run_end(in, start, ET_CHARACTER_OTHER);
  return end == start ? at : line_ends(in, end);
}

static size_t joined_end(const et_byte_pair_words *rules, span in, size_t at) {
  size_t end = letters_end(in, at);
  if (end == at) {
    end = digits_end(in, at, rules->digits);
  }
  if (end == at) {
    end = marks_end(in, at);
  }
  if (end == at) {
    end = lines_end(in, at);
  }
  return end == at ? space_end(in, at) : end;
}

size_t et_text_word_end(const et_byte_pair_words *rules, const char *text,
                        size_t size, size_t at) {
  const span in = {text, size};
  const size_t shortened = shortened_end(in, at, rules->joined);
  if (shortened != at) {
    return shortened;
  }
  return rules->joined ? joined_end(rules, in, at) : plain_end(rules, in, at);
}

size_t et_text_next_digit(const char *text, size_t size, size_t at,
                          size_t *behind) {
  const span in = {text, size};
  *behind = size;
  while (at < size && kind_at(in, at, behind) != ET_CHARACTER_NUMBER) {
    at = *behind;
  }
  return at;
}
