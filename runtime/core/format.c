#include "runtime/core/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

static void put_signed(et_message *message, int64_t value) {
  if (value < 0) {
    put_bytes(message, "-", 1);
  }
  /* Negates as unsigned, because -INT64_MIN does not fit. */
  put_unsigned(message, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
}

/* Sizes of integers that a letter before the conversion tells. */
typedef enum et_width {
  WIDTH_INT,
  WIDTH_LONG,
  WIDTH_LONG_LONG,
  WIDTH_SIZE
} et_width;

static et_width read_width(const char **format) {
  if (**format == 'z') {
    *format += 1;
    return WIDTH_SIZE;
  }
  size_t letters = 0;
  while (letters < 2 && **format == 'l') {
    *format += 1;
    letters++;
  }
  return letters == 0 ? WIDTH_INT : letters == 1 ? WIDTH_LONG : WIDTH_LONG_LONG;
}

static uint64_t take_unsigned(et_width width, va_list *args) {
  switch (width) {
    case WIDTH_SIZE:
      return va_arg(*args, size_t);
    case WIDTH_LONG_LONG:
      return va_arg(*args, unsigned long long);
    case WIDTH_LONG:
      return va_arg(*args, unsigned long);
    default:
      return va_arg(*args, unsigned);
  }
}

static int64_t take_signed(et_width width, va_list *args) {
  switch (width) {
    case WIDTH_SIZE:
      return va_arg(*args, ptrdiff_t);
    case WIDTH_LONG_LONG:
      return va_arg(*args, long long);
    case WIDTH_LONG:
      return va_arg(*args, long);
    default:
      return va_arg(*args, int);
  }
}

/* Writes one value. False, and nothing taken, for a conversion that is not
 * known. */
static bool put_value(et_message *message, char conversion, et_width width,
                      va_list *args) {
  switch (conversion) {
    case 'd':
      put_signed(message, take_signed(width, args));
      return true;
    case 'u':
      put_unsigned(message, take_unsigned(width, args), 10);
      return true;
    case 'x':
      put_unsigned(message, take_unsigned(width, args), 16);
      return true;
    default:
      break;
  }
  if (width != WIDTH_INT) {
    return false;
  }
  switch (conversion) {
    case 's':
      put_text(message, va_arg(*args, const char *));
      return true;
    case '%':
      put_bytes(message, "%", 1);
      return true;
    default:
      return false;
  }
}

/* Writes the conversion that begins with the '%' at `format` and returns what
 * comes after it. Of one that is not known nobody knows what it takes: it is
 * written as it stands, with all behind it. */
static const char *put_conversion(et_message *message, const char *format,
                                  va_list *args) {
  const char *at = format + 1;
  const et_width width = read_width(&at);
  if (put_value(message, *at, width, args)) {
    return at + 1;
  }
  put_text(message, format);
  return format + strlen(format);
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

size_t et_format(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const size_t used = et_format_args(text, size, format, &args);
  va_end(args);
  return used;
}
