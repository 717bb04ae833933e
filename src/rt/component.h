/* Opening the optional component libingot-air. */
#ifndef RT_COMPONENT_H
#define RT_COMPONENT_H

#include "air/air.h"

/* The component's table, or NULL with INGOT_UNSUPPORTED and what to do about it. It is looked for where INGOT_AIR says,
 * then beside the file that holds this code, then where the system keeps libraries; once found it stays open. Any
 * thread. */
const air_component *rt_component(ingot_error *error);

#endif
