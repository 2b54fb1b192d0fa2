#include "runtime/core/format.h"

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/noinline.h"

/* A message that is being formatted. Text beyond the buffer is dropped. */
typedef struct et_message {
  char *text;
  size_t size; /* including the NUL */
  size_t used;
  va_list *args; /* arguments; NULL while '%' is copied literally */
  size_t begin;  /* where the current conversion starts; its text is replaced */
  /* Length modifiers, encoded by with_letter; 0 outside a conversion. */
  unsigned letters;
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

/* Encodes the length modifiers of a conversion as a number, one letter at a
 * time. */
static unsigned with_letter(unsigned letters, char letter) {
  return letters * 2 + (letter == 'z');
}
enum { NONE = 1, L = NONE * 2, Z = NONE * 2 + 1, L_L = L * 2 };

/* Returns the size of the integer for these length modifiers, or 0 if they are
 * invalid. */
static size_t size_of(unsigned letters) {
  static const uint8_t sizes[] = {
      [NONE] = sizeof(int),
      [L] = sizeof(long),
      [Z] = sizeof(size_t),
      [L_L] = sizeof(long long),
  };
  return letters < sizeof sizes ? sizes[letters] : 0;
}

/* Reads an integer of `size` bytes. A type wider than int has 64 bits. */
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
      /* -INT64_MIN overflows; unsigned negation does not. */
      value = 0 - (uint64_t)number;
    }
  }
  put_unsigned(message, value, conversion == 'x' ? 16 : 10);
}

static void put_text(et_message *message, const char *text);

/* Replaces the text of a conversion with its value.
 *
 * If the conversion is unknown, so is the size of its argument; the rest of the
 * format is then copied literally. */
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

/* Handles one character of the format or of a %s argument. */
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

static void put_text(et_message *message, const char *text) {
  text = text != NULL ? text : "(null)";
  while (*text != '\0') {
    put(message, *text++);
  }
}

/* Removes a UTF-8 character that was truncated at the end of the buffer. */
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
