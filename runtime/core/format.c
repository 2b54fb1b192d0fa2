#include "runtime/core/format.h"

#include <stdint.h>
#include <string.h>

#include "runtime/core/noinline.h"

/* A message being written; what does not fit is dropped. */
typedef struct et_message {
  char *text;
  size_t size; /* with the NUL */
  size_t used;
} et_message;

static void put_bytes(et_message *message, const char *bytes, size_t size) {
  const size_t room = message->size - 1 - message->used;
  const size_t taken = size < room ? size : room;
  memcpy(message->text + message->used, bytes, taken);
  message->used += taken;
}

static void put_text(et_message *message, const char *text) {
  const char *shown = text != NULL ? text : "(null)";
  put_bytes(message, shown, strlen(shown));
}

static void put_unsigned(et_message *message, uint64_t value, unsigned base) {
  char digits[20]; /* 2^64 - 1 has 20 decimal digits */
  size_t first = sizeof digits;
  do {
    digits[--first] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  put_bytes(message, digits + first, sizeof digits - first);
}

/* Bytes of the integer that letters before a conversion tell of. */
static size_t read_size(const char **format) {
  static const uint8_t sizes[] = {sizeof(int), sizeof(long), sizeof(long long)};
  size_t letters = 0;
  if (**format == 'z') {
    *format += 1;
    return sizeof(size_t);
  }
  while (letters < 2 && **format == 'l') {
    *format += 1;
    letters++;
  }
  return sizes[letters];
}

/* An integer of `size` bytes: all of more than an int are of 64 bits, or as an int is. */
static ET_NOINLINE uint64_t take_integer(size_t size, va_list *args) {
  return size > sizeof(unsigned) ? va_arg(*args, unsigned long long)
                                 : va_arg(*args, unsigned);
}

static void put_integer(et_message *message, char conversion, size_t size,
                        va_list *args) {
  uint64_t value = take_integer(size, args);
  if (conversion == 'd') {
    const int64_t number =
        size > sizeof(int) ? (int64_t)value : (int32_t)(uint32_t)value;
    if (number < 0) {
      put_bytes(message, "-", 1);
      /* Negates as unsigned, because -INT64_MIN does not fit. */
      value = 0 - (uint64_t)number;
    }
  }
  put_unsigned(message, value, conversion == 'x' ? 16 : 10);
}

/* Writes the conversion that begins with the '%' at `format` and returns what
 * comes after it. Of one that is not known nobody knows what it takes: it is
 * written as it stands, with all behind it. */
static const char *put_conversion(et_message *message, const char *format,
                                  va_list *args) {
  const char *at = format + 1;
  const size_t size = read_size(&at);
  if (*at == 'd' || *at == 'u' || *at == 'x') {
    put_integer(message, *at, size, args);
  } else if (at == format + 1 && *at == 's') {
    put_text(message, va_arg(*args, const char *));
  } else if (at == format + 1 && *at == '%') {
    put_bytes(message, at, 1);
  } else {
    put_text(message, format);
    return format + strlen(format);
  }
  return at + 1;
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
  et_message message = {text, size, 0};
  while (*format != '\0') {
    const size_t plain = strcspn(format, "%");
    put_bytes(&message, format, plain);
    format += plain;
    if (*format == '%') {
      format = put_conversion(&message, format, args);
    }
  }
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
