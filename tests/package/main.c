/* A user's program: the header and the library that were found must be of one version. */
#include <ingot/ingot.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("%s\n", ingot_version());
    return strcmp(ingot_version(), INGOT_VERSION) != 0;
}
