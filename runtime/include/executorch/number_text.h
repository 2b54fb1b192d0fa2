/* Floating-point numbers in messages: et_fail has no conversion for them, so that programs
 * whose kernels say none are linked without what writes them. */
#ifndef EXECUTORCH_NUMBER_TEXT_H_
#define EXECUTORCH_NUMBER_TEXT_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the longest, "-1.23457e-308", with its NUL. */
#define ET_NUMBER_TEXT_BYTES 16

/* Writes `number` as %g of printf does, in six significant digits, and returns `text`. */
const char *et_number_text(char text[ET_NUMBER_TEXT_BYTES], double number);

/* For %s of et_fail, in C: the text lives as long as the block around it. */
#define ET_NUMBER_TEXT(number) \
  et_number_text((char[ET_NUMBER_TEXT_BYTES]){0}, (number))

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_NUMBER_TEXT_H_ */
