/* Calls that a debugger or an emulator answers: Arm's semihosting. */
#ifndef BOARD_SEMIHOSTING_H_
#define BOARD_SEMIHOSTING_H_

_Noreturn void semihosting_exit(int code);

#endif /* BOARD_SEMIHOSTING_H_ */
