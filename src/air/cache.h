/* Compiled kernels kept from one process to the next, in the folder that INGOT_NATIVE_CACHE names; where it names none, nothing is
 * kept. Both functions run in the child; what goes wrong in them costs time and nothing else. */
#ifndef AIR_CACHE_H
#define AIR_CACHE_H

#include "air/compile.h"

/* A name for what the job makes: of its parts, this build of the component, and this processor. */
typedef struct air_cache_key {
    char text[65]; /* hexadecimal; empty: nothing is kept */
} air_cache_key;

air_cache_key air_cache_key_of(const air_job *job);

/* Appends what was kept to `out`; false where nothing fit to be used is. Only files and a folder are looked at that belong to this user
 * and that no one else may write. */
bool air_cache_get(const air_cache_key *key, buf *out);
void air_cache_put(const air_cache_key *key, str compiled);

#endif
