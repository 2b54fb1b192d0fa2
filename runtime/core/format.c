#include "runtime/core/format.h"

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/noinline.h"
#include "runtime/core/packing.h"
#if ET_PACKS
#include "runtime/core/packed_table.h"
#endif

/* A message being written; what does not fit is dropped. */
typedef struct et_message {
  char *text;
  size_t size; /* with the NUL */
  size_t used;
  va_list *args; /* of conversions; NULL while a '%' is a character as others */
  size_t begin;  /* of the conversion, which is written as it stands at first */
  unsigned letters; /* of sizes in the conversion: see size_of; 0 outside */
  int skipped;      /* packed texts before that to be written */
} et_message;

static void put_byte(et_message *message, char byte) {
  if (message->used < message->size - 1) {
    message->text[message->used++] = byte;
  }
}

static void put_unsigned(et_message *message, uint64_t value, unsigned base) {
  const uint64_t rest = value / base;
  const unsigned digit = (unsigned)(value % base);
  if (rest != 0) {
    put_unsigned(message, rest, base);
  }
  put_byte(message, "0123456789abcdef"[digit]);
}

/* `letters` when another one comes. */
static unsigned with_letter(unsigned letters, char letter) {
  return letters * 2 + (letter == 'z');
}
enum { NONE = 1, L = NONE * 2, Z = NONE * 2 + 1, L_L = L * 2 };

/* Bytes of the integer that a conversion with these letters takes; 0 where there is none. */
static size_t size_of(unsigned letters) {
  static const uint8_t sizes[] = {
      [NONE] = sizeof(int),
      [L] = sizeof(long),
      [Z] = sizeof(size_t),
      [L_L] = sizeof(long long),
  };
  return letters < sizeof sizes ? sizes[letters] : 0;
}

/* An integer of `size` bytes: all of more than an int are of 64 bits, or as an int is. */
static ET_NOINLINE uint64_t take_integer(size_t size, va_list *args) {
  return size > sizeof(unsigned) ? va_arg(*args, unsigned long long)
                                 : va_arg(*args, unsigned);
}

static void put_integer(et_message *message, char conversion, size_t size) {
  uint64_t value = take_integer(size, message->args);
  if (conversion == 'd') {
    const int64_t number =
        size > sizeof(int) ? (int64_t)value : (int32_t)(uint32_t)value;
    if (number < 0) {
      put_byte(message, '-');
      /* Negates as unsigned, because -INT64_MIN does not fit. */
      value = 0 - (uint64_t)number;
    }
  }
  put_unsigned(message, value, conversion == 'x' ? 16 : 10);
}

static void put_text(et_message *message, const char *text);

/* Puts what a conversion stands for in its place. Of one that is not known nobody knows
 * what it takes: it stays as it is written, and all behind it. */
static void convert(et_message *message, char conversion) {
  va_list *args = message->args;
  const unsigned letters = message->letters;
  const size_t size = size_of(letters);
  const size_t end = message->used;
  message->letters = 0;
  message->used = message->begin;
  if (size != 0 &&
      (conversion == 'd' || conversion == 'u' || conversion == 'x')) {
    put_integer(message, conversion, size);
  } else if (letters == NONE && conversion == 's') {
    message->args = NULL;
    put_text(message, va_arg(*args, const char *));
    message->args = args;
  } else if (letters == NONE && conversion == '%') {
    put_byte(message, '%');
  } else {
    message->used = end;
    message->args = NULL;
  }
}

/* A character of a text. */
static ET_NOINLINE void put(et_message *message, char next) {
  const size_t before = message->used;
  put_byte(message, next);
  if (message->args == NULL) {
    return;
  }
  if (message->letters == 0) {
    message->begin = before;
    message->letters = next == '%' ? NONE : 0;
  } else if (next == 'l' || next == 'z') {
    message->letters = with_letter(message->letters, next);
  } else {
    convert(message, next);
  }
}

#if ET_PACKS
static void put_symbol(et_message *message, unsigned symbol) {
  while (symbol >= sizeof et_packed_alphabet) {
    const uint8_t *pair =
        et_packed_pairs + 2 * (symbol - sizeof et_packed_alphabet);
    put_symbol(message, pair[0]);
    symbol = pair[1];
  }
  if (symbol == 0) {
    message->skipped--;
  } else if (message->skipped == 0) {
    put(message, (char)et_packed_alphabet[symbol]);
  }
}

static void put_packed(et_message *message, unsigned number) {
  const uint8_t *next = et_packed_texts;
  message->skipped = (int)number;
  while (message->skipped >= 0) {
    put_symbol(message, *next++);
  }
  message->skipped = 0; /* as in the text in which this one is */
}
#endif

static void put_text(et_message *message, const char *text) {
#if ET_PACKS
  if ((uintptr_t)text < ET_PACKED_COUNT) {
    put_packed(message, (unsigned)(uintptr_t)text);
    return;
  }
#else
  text = text != NULL ? text : "(null)";
#endif
  while (*text != '\0') {
    put(message, *text++);
  }
}

/* Takes away a UTF-8 character that the end of the buffer has cut in two. */
static void drop_cut_character(et_message *message) {
  size_t start = message->used;
  while (start > 0 && ((uint8_t)message->text[start - 1] & 0xC0u) == 0x80u) {
    start--;
  }
  const uint8_t lead = start > 0 ? (uint8_t)message->text[start - 1] : 0;
  if (lead < 0xC0u) {
    return;
  }
  const size_t wanted = lead >= 0xF0u ? 4 : lead >= 0xE0u ? 3 : 2;
  if (message->used - (start - 1) < wanted) {
    message->used = start - 1;
  }
}

size_t et_format_args(char *text, size_t size, const char *format,
                      va_list *args) {
  et_message message = {.text = text, .size = size, .args = args};
  put_text(&message, format);
  drop_cut_character(&message);
  text[message.used] = '\0';
  return message.used;
}

ET_INTEGERS size_t et_format(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const size_t used = et_format_args(text, size, format, &args);
  va_end(args);
  return used;
}
