/* Textures and samplers for compiled code: the launch's own, by their functions. */
#include <string.h>

#include "air/crew.h"

/* Does not return: the launch ends with this fault. */
static void refuse(air_thread *t, uint64_t texture, const char *why)
{
    t->crew->why = why;
    air_rt_fault(t, AIR_FAULT_TEXTURE, (uint32_t)texture, 0, 0);
}

static const air_texels *texels(air_thread *t, uint64_t texture)
{
    const air_texels *all = t->crew->launch->texels;
    if (all == NULL) refuse(t, texture, "where nothing is bound");
    return all;
}

air_words air_rt_texel_read(air_thread *t, uint64_t texture, uint64_t xy, uint64_t zl, uint32_t kind)
{
    const air_texel at = {texture, xy, zl, kind};
    uint32_t pixel[4];
    air_words r;
    const char *why = texels(t, texture)->read(t->crew->launch->bound, &at, pixel);
    if (why != NULL) refuse(t, texture, why);
    memcpy(&r, pixel, sizeof r);
    return r;
}

void air_rt_texel_write(air_thread *t, uint64_t texture, uint64_t xy, uint64_t zl, air_words pixel, uint32_t kind)
{
    const air_texel at = {texture, xy, zl, kind};
    uint32_t words[4];
    memcpy(words, &pixel, sizeof words);
    const char *why = texels(t, texture)->write(t->crew->launch->bound, &at, words);
    if (why != NULL) refuse(t, texture, why);
}

uint32_t air_rt_texel_change(air_thread *t, uint64_t texture, uint64_t xy, uint64_t zl, uint64_t words, uint32_t how)
{
    const air_texel at = {texture, xy, zl, how & 0xff};
    uint32_t old = 0;
    const char *why = texels(t, texture)->change(t->crew->launch->bound, &at, how >> 8, words, &old);
    if (why != NULL) refuse(t, texture, why);
    return old;
}

uint32_t air_rt_texture_query(air_thread *t, uint64_t texture, uint32_t what, uint32_t level)
{
    return texels(t, texture)->query(t->crew->launch->bound, texture, what, level);
}

uint64_t air_rt_sampler(air_thread *t, uint64_t sampler)
{
    const air_texels *all = t->crew->launch->texels;
    return all != NULL ? all->sampler(t->crew->launch->bound, sampler) : sampler;
}
