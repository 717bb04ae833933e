/* What an ingot_module is made of: see host/module.h, where the runtime can see it too. */
#ifndef API_MODULE_H
#define API_MODULE_H

#include "host/module.h"

#endif
