/* Models whose labels differ only in `/` and `_`. Their headers cannot be included
 * together, but both can be in one program. Each adds its constant to *x. */
#ifndef APP_TWINS_H_
#define APP_TWINS_H_

#include <stdint.h>

int add_with_twin_1(float *x);
int add_with_twin_2(float *x);
uint32_t words_of_twin_1(void);
uint32_t words_of_twin_2(void);

#endif
