/* Formats floating-point values for error messages.
 *
 * et_fail has no conversion for them, so programs that do not need the
 * formatting code do not link it. */
#ifndef EXECUTORCH_NUMBER_TEXT_H_
#define EXECUTORCH_NUMBER_TEXT_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Size of the longest text, "-1.23457e-308", with its NUL, rounded up. */
#define ET_NUMBER_TEXT_BYTES 16

/* Writes `number` like printf's %g, with six significant digits. Returns
 * `text`. */
const char *et_number_text(char text[ET_NUMBER_TEXT_BYTES], double number);

/* Argument for %s of et_fail, in C. The text is valid in the enclosing
 * block. */
#define ET_NUMBER_TEXT(number) \
  et_number_text((char[ET_NUMBER_TEXT_BYTES]){0}, (number))

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_NUMBER_TEXT_H_ */
