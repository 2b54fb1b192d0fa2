/* What a program needs of the machine it runs on. */
#ifndef BOARD_BOARD_H_
#define BOARD_BOARD_H_

void board_write(const char *text);

#endif /* BOARD_BOARD_H_ */
