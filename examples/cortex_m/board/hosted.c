/* A machine with an operating system. */
#include <stdio.h>

#include "board/board.h"

void board_write(const char *text) { fputs(text, stdout); }
