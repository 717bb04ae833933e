/* AIR's texture functions and samplers, as the device has them. */
#ifndef AIR_TEXTURE_LIBRARY_H
#define AIR_TEXTURE_LIBRARY_H

#include "air/llvm.h"
#include "base/arena.h"

typedef struct air_texture_shape {
    const char *air, *msl; /* "texture_2d_array", "texture2d_array" */
    uint8_t dims;          /* of a place in it; of cubes of a face */
    bool array, cube, depth, ms;
} air_texture_shape;
enum { AIR_TEXTURE_SHAPES = 16 };
extern const air_texture_shape air_texture_shapes[AIR_TEXTURE_SHAPES];

/* A sampler's state as AIR has it to the device's bits (mslfront/library/textures.def) and back. AIR does not tell a border of
 * transparent black from clamp_to_zero: it becomes the latter. */
uint64_t air_sampler_to_device(uint64_t state);
uint64_t air_sampler_from_device(uint64_t bits);

/* Gives the texture functions that the module declares their bodies, made of Metal text over the device's own functions, and puts the
 * bits of its constant samplers where the samplers stand. Those that the device lacks stay declared. In the arena, under its guard; false
 * with the error set. */
bool air_define_textures(arena *mem, air_context *context, LLVMModuleRef m, ingot_error *error);

#endif
