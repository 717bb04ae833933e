/* Metal textures and samplers. */
#include "api/metal.h"
#include "base/error.h"

unsigned ingot_metal_pixel_format(const char *name)
{
    static const uint16_t numbers[] = {
#define EMU_FORMAT(ID, name, number, bytes, components, kind) number,
#include "emu/formats.def"
#undef EMU_FORMAT
    };
    const emu_format f = name != NULL ? emu_format_named(name) : EMU_FORMATS;
    return f != EMU_FORMATS ? numbers[f] : 0;
}

size_t ingot_metal_pixel_bytes(unsigned pixel_format)
{
    const emu_format f = emu_format_numbered(pixel_format);
    return f != EMU_FORMATS ? emu_format_bytes(f) : 0;
}

/* ---- Textures ------------------------------------------------------------------------------------- */

static ingot_status describe(const ingot_metal_texture_descriptor *descriptor, emu_texture *t, ingot_error *error)
{
    ingot_metal_texture_descriptor d = INGOT_METAL_TEXTURE_DESCRIPTOR_INIT;
    if (descriptor->struct_size < sizeof d.struct_size || descriptor->struct_size > sizeof d)
        return error_set(error, INGOT_INVALID_ARGUMENT,
                         "ingot_metal_texture_descriptor.struct_size is %zu; set it with INGOT_METAL_TEXTURE_DESCRIPTOR_INIT",
                         descriptor->struct_size);
    memcpy(&d, descriptor, descriptor->struct_size);
    const emu_format f = emu_format_numbered(d.pixel_format);
    if (f == EMU_FORMATS) return error_set(error, INGOT_UNSUPPORTED, "pixel format %u is not supported", d.pixel_format);
    const bool known = d.type <= INGOT_METAL_TEXTURE_2D_ARRAY || d.type == INGOT_METAL_TEXTURE_CUBE ||
                       d.type == INGOT_METAL_TEXTURE_CUBE_ARRAY || d.type == INGOT_METAL_TEXTURE_3D ||
                       d.type == INGOT_METAL_TEXTURE_BUFFER;
    if (!known) return error_set(error, INGOT_UNSUPPORTED, "texture type %d is not supported", (int)d.type);
    *t = (emu_texture){.type = (emu_texture_type)d.type,
                       .format = f,
                       .width = d.width != 0 ? d.width : 1,
                       .height = d.height != 0 ? d.height : 1,
                       .depth = d.depth != 0 ? d.depth : 1,
                       .layers = d.array_length != 0 ? d.array_length : 1,
                       .levels = d.mipmap_levels};
    t->size = emu_texture_lay_out(t);
    if (t->size != 0) return INGOT_OK;
    return error_set(error, INGOT_VALUE, "no texture has %u x %u x %u pixels, %u layers and %u levels", (unsigned)t->width,
                     (unsigned)t->height, (unsigned)t->depth, (unsigned)t->layers, (unsigned)t->levels);
}

ingot_status ingot_metal_texture_create(ingot_metal_device *device, const ingot_metal_texture_descriptor *descriptor,
                                        ingot_metal_texture **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (device == NULL) return metal_no_argument(error, "device");
    if (descriptor == NULL) return metal_no_argument(error, "descriptor");
    emu_texture t;
    const ingot_status status = describe(descriptor, &t, error);
    if (status != INGOT_OK) return status;
    ingot_metal_texture *texture = mem_zeroed(device->mem, 1, sizeof *texture);
    t.data = mem_zeroed(device->mem, 1, t.size);
    if (texture == NULL || t.data == NULL) {
        mem_free(device->mem, t.data, t.size);
        mem_free(device->mem, texture, sizeof *texture);
        return error_no_memory(error);
    }
    texture->references = 1;
    texture->device = device;
    texture->texture = t;
    metal_retain(&device->references);
    *out = texture;
    return error_none(error);
}

void ingot_metal_texture_release(ingot_metal_texture *t)
{
    if (t == NULL || !metal_release(&t->references)) return;
    ingot_metal_device *d = t->device;
    metal_number_give(&d->textures, t->number);
    mem_free(d->mem, t->written, t->texture.size);
    mem_free(d->mem, t->texture.data, t->texture.size);
    mem_free(d->mem, t, sizeof *t);
    ingot_metal_device_release(d);
}

size_t ingot_metal_texture_level_bytes(const ingot_metal_texture *t, uint32_t level)
{
    if (t == NULL || level >= t->texture.levels) return 0;
    return t->texture.level[level].slice * emu_texture_slices(&t->texture, level);
}

static ingot_status check_level(const ingot_metal_texture *t, uint32_t level, const void *bytes, size_t size,
                                ingot_error *error)
{
    if (t == NULL) return metal_no_argument(error, "texture");
    if (bytes == NULL) return metal_no_argument(error, "bytes");
    if (level >= t->texture.levels)
        return error_set(error, INGOT_VALUE, "the texture has no level %u", (unsigned)level);
    const size_t whole = ingot_metal_texture_level_bytes(t, level);
    if (size == whole) return INGOT_OK;
    return error_set(error, INGOT_VALUE, "level %u of the texture has %zu bytes, not %zu", (unsigned)level, whole, size);
}

ingot_status ingot_metal_texture_write(ingot_metal_texture *t, uint32_t level, const void *bytes, size_t size,
                                       ingot_error *error)
{
    const ingot_status status = check_level(t, level, bytes, size, error);
    if (status != INGOT_OK) return status;
    memcpy((char *)t->texture.data + t->texture.level[level].offset, bytes, size);
    if (t->written != NULL) memset(t->written + t->texture.level[level].offset, 1, size);
    return error_none(error);
}

ingot_status ingot_metal_texture_forget(ingot_metal_texture *t, ingot_error *error)
{
    if (t == NULL) return metal_no_argument(error, "texture");
    if (t->written != NULL) memset(t->written, 0, t->texture.size);
    else t->written = mem_zeroed(t->device->mem, 1, t->texture.size);
    return t->written != NULL ? error_none(error) : error_no_memory(error);
}

ingot_status ingot_metal_texture_read(const ingot_metal_texture *t, uint32_t level, void *bytes, size_t size,
                                      ingot_error *error)
{
    const ingot_status status = check_level(t, level, bytes, size, error);
    if (status != INGOT_OK) return status;
    memcpy(bytes, (const char *)t->texture.data + t->texture.level[level].offset, size);
    return error_none(error);
}

/* ---- Samplers ------------------------------------------------------------------------------------- */

static bool within(int value, int most)
{
    return value >= 0 && value <= most;
}

static bool is_sampler(const ingot_metal_sampler_descriptor *d)
{
    bool good = within(d->min_filter, 1) && within(d->mag_filter, 1) && within(d->mip_filter, 2) &&
                within(d->border_colour, 2) && within(d->compare_function, 7);
    for (int i = 0; i < 3; ++i) good = good && within(d->address_modes[i], 5);
    return good && d->lod_min <= d->lod_max;
}

ingot_status ingot_metal_sampler_create(ingot_metal_device *device, const ingot_metal_sampler_descriptor *descriptor,
                                        ingot_metal_sampler **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (device == NULL) return metal_no_argument(error, "device");
    ingot_metal_sampler_descriptor d = INGOT_METAL_SAMPLER_DESCRIPTOR_INIT;
    if (descriptor != NULL) {
        if (descriptor->struct_size < sizeof d.struct_size || descriptor->struct_size > sizeof d)
            return error_set(error, INGOT_INVALID_ARGUMENT,
                             "ingot_metal_sampler_descriptor.struct_size is %zu; set it with "
                             "INGOT_METAL_SAMPLER_DESCRIPTOR_INIT",
                             descriptor->struct_size);
        memcpy(&d, descriptor, descriptor->struct_size);
    }
    if (!is_sampler(&d)) return error_set(error, INGOT_VALUE, "a field of the sampler's descriptor is none of Metal's numbers");
    ingot_metal_sampler *s = mem_zeroed(device->mem, 1, sizeof *s);
    if (s == NULL) return error_no_memory(error);
    s->references = 1;
    s->device = device;
    s->sampler = (emu_sampler){.linear_min = d.min_filter == 1,
                               .linear_mag = d.mag_filter == 1,
                               .mip = (uint8_t)d.mip_filter,
                               .pixel = d.normalized == 0,
                               .border = (uint8_t)d.border_colour,
                               .compare = (uint8_t)d.compare_function,
                               .lod_min = d.lod_min,
                               .lod_max = d.lod_max};
    for (int i = 0; i < 3; ++i) s->sampler.address[i] = (uint8_t)d.address_modes[i];
    metal_retain(&device->references);
    *out = s;
    return error_none(error);
}

void ingot_metal_sampler_release(ingot_metal_sampler *s)
{
    if (s == NULL || !metal_release(&s->references)) return;
    ingot_metal_device *d = s->device;
    mem_free(d->mem, s, sizeof *s);
    ingot_metal_device_release(d);
}
