/* What a profile says of a kernel's lines: a table, JSON, a page. */
#ifndef CLI_MSL_PROFILE_H
#define CLI_MSL_PROFILE_H

#include "cli/msl_run.h"

/* Lines by cost, the dearest first, with the accesses that waste most; then what bounds the occupancy. */
void msl_profile_table(const msl_run *r, cli_bytes *out);
/* As the member "profile" of the open object. */
void msl_profile_json(const msl_run *r, cli_json *j);
/* One page that needs nothing else: the source shaded by cost, each access drawn. */
void msl_profile_page(const msl_run *r, cli_bytes *out);

/* What a line weighs: its instructions, and what its accesses wait for beyond them. */
uint64_t msl_profile_weight(const ingot_profile_row *row);

/* Threadgroups that a core can hold by its threadgroup memory; 0: that is no bound. */
uint32_t msl_profile_groups(const msl_run *r, size_t *bytes);

#endif
