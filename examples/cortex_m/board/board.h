/* The functions that a program needs from the machine on which it runs. */
#ifndef BOARD_BOARD_H_
#define BOARD_BOARD_H_

void board_write(const char *text);

#endif /* BOARD_BOARD_H_ */
