/* The end of a use of selectors.def. Included once for each, hence no guard. */
#undef METAL_GET0
#undef METAL_GET1
#undef METAL_GET2
#undef METAL_GET3
#undef METAL_GET4
#undef METAL_SIZE
#undef METAL_DO0
#undef METAL_DO1
#undef METAL_DO2
#undef METAL_DO3
#undef METAL_DO5
