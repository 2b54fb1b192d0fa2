/* Uses the C library as programs do, so that Zig builds all that they need. */
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv) {
  return printf("%s %f\n", argv[0], exp(argc)) < 0;
}
