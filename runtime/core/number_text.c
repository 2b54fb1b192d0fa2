#include "executorch/number_text.h"

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS 6
#define TEN_TO_DIGITS 1000000u

/* The positive number 0.digits * 10^exponent. */
typedef struct decimal {
  char digits[DIGITS];
  size_t count; /* without trailing zeros */
  int exponent;
} decimal;

typedef struct text_end {
  char *text;
  size_t size;
} text_end;

static void put(text_end *out, const char *bytes, size_t size) {
  memcpy(out->text + out->size, bytes, size);
  out->size += size;
}

static void put_zeros(text_end *out, int count) {
  for (int i = 0; i < count; i++) {
    put(out, "0", 1);
  }
}

/* Returns the smallest exponent with number / 10^exponent < 1, for number >
 * 0. */
static int exponent_of(double number) {
  int exponent = 0;
  for (; number >= 1; exponent++) {
    number /= 10;
  }
  for (; number < 0.1; exponent--) {
    number *= 10;
  }
  return exponent;
}

/* Returns number * 10^shift. Powers of ten are exact up to 10^22, so most
 * numbers are rounded only once. */
static double scale(double number, int shift) {
  int left = shift < 0 ? -shift : shift;
  while (left > 0) {
    double power = 1;
    for (int i = 0; i < 22 && left > 0; i++, left--) {
      power *= 10;
    }
    number = shift < 0 ? number / power : number * power;
  }
  return number;
}

static decimal decimal_of(double number) {
  decimal d = {{0}, DIGITS, exponent_of(number)};
  const double scaled = scale(number, DIGITS - d.exponent);
  uint32_t digits = (uint32_t)scaled;
  const double rest = scaled - digits;
  digits += rest > 0.5 || (rest == 0.5 && digits % 2 != 0) ? 1 : 0;
  if (digits == TEN_TO_DIGITS) {
    digits /= 10;
    d.exponent++;
  }
  for (size_t i = DIGITS; i-- > 0; digits /= 10) {
    d.digits[i] = (char)('0' + digits % 10);
  }
  while (d.count > 1 && d.digits[d.count - 1] == '0') {
    d.count--;
  }
  return d;
}

static void put_fixed(text_end *out, const decimal *d) {
  const int count = (int)d->count;
  if (d->exponent <= 0) {
    put(out, "0.", 2);
    put_zeros(out, -d->exponent);
    put(out, d->digits, d->count);
    return;
  }
  const int whole = d->exponent < count ? d->exponent : count;
  put(out, d->digits, (size_t)whole);
  put_zeros(out, d->exponent - whole);
  if (whole < count) {
    put(out, ".", 1);
    put(out, d->digits + whole, (size_t)(count - whole));
  }
}

static void put_scientific(text_end *out, const decimal *d) {
  const int exponent = d->exponent - 1; /* with one digit before the point */
  const int size = exponent < 0 ? -exponent : exponent;
  const char digits[3] = {(char)('0' + size / 100),
                          (char)('0' + size / 10 % 10),
                          (char)('0' + size % 10)};
  put(out, d->digits, 1);
  if (d->count > 1) {
    put(out, ".", 1);
    put(out, d->digits + 1, d->count - 1);
  }
  put(out, exponent < 0 ? "e-" : "e+", 2);
  put(out, size < 100 ? digits + 1 : digits, size < 100 ? 2 : 3);
}

static void put_number(text_end *out, double number) {
  uint64_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  if (number != number) {
    put(out, "nan", 3);
    return;
  }
  if (bits >> 63 != 0) { /* includes -0 */
    put(out, "-", 1);
    number = -number;
  }
  if (number > DBL_MAX) {
    put(out, "inf", 3);
  } else if (number == 0) {
    put(out, "0", 1);
  } else {
    const decimal d = decimal_of(number);
    const int fixed = d.exponent > -4 && d.exponent <= DIGITS;
    (fixed ? put_fixed : put_scientific)(out, &d);
  }
}

const char *et_number_text(char text[ET_NUMBER_TEXT_BYTES], double number) {
  text_end out = {text, 0};
  put_number(&out, number);
  text[out.size] = '\0';
  return text;
}
