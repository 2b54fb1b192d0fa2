/* Prints tokens of lines, for programs that tests compare with other tokenizers. */
#ifndef ET_TEXT_TESTING_LINES_H_
#define ET_TEXT_TESTING_LINES_H_

#include <stddef.h>
#include <stdint.h>

/* Writes the tokens of text, at most `capacity`, and returns their number. */
typedef size_t (*et_testing_encode)(const char *text, size_t size,
                                    int64_t *tokens, size_t capacity);

/* Prints the tokens of each line of standard input. */
void et_testing_print_tokens(et_testing_encode encode);

#endif /* ET_TEXT_TESTING_LINES_H_ */
