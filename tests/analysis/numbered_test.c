/* Checks that executorch_object_library passes the number of a source in error
 * codes. */
int main(void) { return ET_FILE_ID == EXPECTED ? 0 : 1; }
