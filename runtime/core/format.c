#include "runtime/core/format.h"

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

/* The conversions that one letter tells: the rest are %ll. and %z. */
static void put_short(et_message *message, char conversion, va_list *args) {
  switch (conversion) {
    case 's':
      put_text(message, va_arg(*args, const char *));
      break;
    case 'd':
      put_signed(message, va_arg(*args, int));
      break;
    case 'u':
      put_unsigned(message, va_arg(*args, unsigned), 10);
      break;
    case 'x':
      put_unsigned(message, va_arg(*args, unsigned), 16);
      break;
    default:
      put_bytes(message, &conversion, 1);
  }
}

/* Writes the conversion that follows a '%' and returns what comes after it. */
static const char *put_conversion(et_message *message, const char *format,
                                  va_list *args) {
  if (strncmp(format, "lld", 3) == 0) {
    put_signed(message, va_arg(*args, long long));
    return format + 3;
  }
  if (strncmp(format, "llu", 3) == 0) {
    put_unsigned(message, va_arg(*args, unsigned long long), 10);
    return format + 3;
  }
  if (strncmp(format, "zu", 2) == 0) {
    put_unsigned(message, va_arg(*args, size_t), 10);
    return format + 2;
  }
  if (*format == '\0') {
    return format;
  }
  put_short(message, *format, args);
  return format + 1;
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
      format = put_conversion(&message, format + 1, args);
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
