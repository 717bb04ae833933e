/* An ELF object file's code into the process: sections laid out, relocations done, pages protected. Formats: the ELF
 * specification and its supplements for x86-64 and AArch64. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "air/image.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

#if defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_X86_64 };
#endif
enum { MOST_SECTIONS = 512, STUB_BYTES = 16, STUB_ADDRESS = 8 };

/* The mapping: code, then for each symbol a stub (a jump to the address at STUB_ADDRESS in it), then on pages of its own all else. */
typedef struct layout {
    const uint8_t *object;
    size_t size;
    Elf64_Ehdr head;
    const char *names;       /* of symbols */
    size_t names_size;
    size_t symbols, symbol_count; /* the table's offset in the object */
    size_t at[MOST_SECTIONS];     /* by section, in the mapping; SIZE_MAX: not in it */
    size_t stubs, data, all;
    uint8_t *base;
    air_image_resolver resolve;
} layout;

/* ---- Reading --------------------------------------------------------------------------------------------------------- */

static bool lies_in(const layout *l, uint64_t at, uint64_t size)
{
    return at <= l->size && size <= l->size - at;
}

static Elf64_Shdr section(const layout *l, size_t i)
{
    Elf64_Shdr s;
    memcpy(&s, l->object + l->head.e_shoff + i * sizeof s, sizeof s);
    return s;
}

static Elf64_Sym symbol(const layout *l, size_t i)
{
    Elf64_Sym s;
    memcpy(&s, l->object + l->symbols + i * sizeof s, sizeof s);
    return s;
}

static str symbol_name(const layout *l, const Elf64_Sym *s)
{
    if (s->st_name >= l->names_size) return STR("");
    const char *p = l->names + s->st_name;
    return (str){p, strnlen(p, l->names_size - s->st_name)};
}

static bool read_symbols(layout *l, const Elf64_Shdr *s)
{
    if (s->sh_link >= l->head.e_shnum) return false;
    const Elf64_Shdr names = section(l, s->sh_link);
    if (!lies_in(l, names.sh_offset, names.sh_size)) return false;
    l->symbols = s->sh_offset;
    l->symbol_count = s->sh_size / sizeof(Elf64_Sym);
    l->names = (const char *)l->object + names.sh_offset;
    l->names_size = names.sh_size;
    return true;
}

static bool read_object(layout *l, str object)
{
    *l = (layout){.object = (const uint8_t *)object.p, .size = object.n};
    if (object.n < sizeof l->head) return false;
    memcpy(&l->head, object.p, sizeof l->head);
    const bool is_object = memcmp(l->head.e_ident, ELFMAG, SELFMAG) == 0 && l->head.e_ident[EI_CLASS] == ELFCLASS64 && l->head.e_type == ET_REL &&
                           l->head.e_machine == MACHINE && l->head.e_shentsize == sizeof(Elf64_Shdr) && l->head.e_shnum <= MOST_SECTIONS;
    if (!is_object || !lies_in(l, l->head.e_shoff, (uint64_t)l->head.e_shnum * sizeof(Elf64_Shdr))) return false;
    for (size_t i = 0; i < l->head.e_shnum; ++i) {
        const Elf64_Shdr s = section(l, i);
        if (s.sh_type != SHT_NOBITS && !lies_in(l, s.sh_offset, s.sh_size)) return false;
        if (s.sh_type == SHT_SYMTAB && !read_symbols(l, &s)) return false;
    }
    return l->symbols != 0;
}

/* ---- Laying out ------------------------------------------------------------------------------------------------------ */

static size_t rounded(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* What runs: not tables for unwinding, which nothing here reads. */
static bool is_kept(const Elf64_Shdr *s)
{
    return (s->sh_flags & SHF_ALLOC) != 0 && (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS) && s->sh_size < SIZE_MAX / 4;
}

static size_t place_sections(layout *l, size_t from, bool code)
{
    for (size_t i = 0; i < l->head.e_shnum; ++i) {
        const Elf64_Shdr s = section(l, i);
        if (!is_kept(&s) || ((s.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
        const size_t align = s.sh_addralign > 1 && s.sh_addralign <= 4096 ? (size_t)s.sh_addralign : 16;
        l->at[i] = rounded(from, align);
        from = l->at[i] + (size_t)s.sh_size;
    }
    return from;
}

static bool place(layout *l)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < MOST_SECTIONS; ++i) l->at[i] = SIZE_MAX;
    l->stubs = rounded(place_sections(l, 0, true), STUB_BYTES);
    l->data = rounded(l->stubs + l->symbol_count * STUB_BYTES, page);
    l->all = rounded(place_sections(l, l->data, false), page);
    void *p = mmap(NULL, l->all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    l->base = p;
    for (size_t i = 0; i < l->head.e_shnum; ++i) {
        const Elf64_Shdr s = section(l, i);
        if (l->at[i] != SIZE_MAX && s.sh_type == SHT_PROGBITS) memcpy(l->base + l->at[i], l->object + s.sh_offset, (size_t)s.sh_size);
    }
    return true;
}

static void write_stub(uint8_t *at, const void *target)
{
#if defined(__aarch64__)
    static const uint32_t jump[2] = {0x58000050, 0xd61f0200}; /* ldr x16, #8; br x16 */
#else
    static const uint8_t jump[8] = {0xff, 0x25, 2, 0, 0, 0}; /* jmp *2(%rip) */
#endif
    memcpy(at, jump, sizeof jump);
    memcpy(at + STUB_ADDRESS, &target, sizeof target);
}

/* The address of every symbol, and its stub; false with *missing set where one is not known. */
static bool resolve_symbols(layout *l, const void **addresses, str *missing)
{
    for (size_t i = 1; i < l->symbol_count; ++i) {
        const Elf64_Sym s = symbol(l, i);
        if (s.st_shndx == SHN_UNDEF) addresses[i] = l->resolve(symbol_name(l, &s));
        else if (s.st_shndx < l->head.e_shnum && l->at[s.st_shndx] != SIZE_MAX) addresses[i] = l->base + l->at[s.st_shndx] + s.st_value;
        if (addresses[i] == NULL && s.st_shndx == SHN_UNDEF) {
            *missing = symbol_name(l, &s);
            return false;
        }
        write_stub(l->base + l->stubs + i * STUB_BYTES, addresses[i]);
    }
    return true;
}

/* ---- Relocations ----------------------------------------------------------------------------------------------------- */

static bool fits(int64_t v, unsigned bits)
{
    const int64_t most = (int64_t)1 << (bits - 1);
    return v >= -most && v < most;
}

#if defined(__aarch64__)

static bool is_long(uint32_t type)
{
    return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64;
}

/* `value` into the bits of an instruction from `low` on, `n` of them. */
static void insert(uint8_t *at, uint64_t value, unsigned low, unsigned n)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    const uint32_t mask = ((1u << n) - 1) << low;
    v = (v & ~mask) | ((uint32_t)value << low & mask);
    memcpy(at, &v, sizeof v);
}

static bool insert_page(uint8_t *at, int64_t target, int64_t here)
{
    const int64_t pages = (target >> 12) - (here >> 12);
    insert(at, (uint64_t)pages, 29, 2);
    insert(at, (uint64_t)pages >> 2, 5, 19);
    return fits(pages, 21);
}

static bool relocate(uint8_t *at, uint32_t type, int64_t target, int64_t stub, int64_t here)
{
    const int64_t distance = target - here, jump = (fits(distance, 28) ? distance : stub - here) >> 2;
    const uint64_t low = (uint64_t)target & 4095;
    switch (type) {
    case R_AARCH64_ABS64: memcpy(at, &target, 8); return true;
    case R_AARCH64_PREL64: memcpy(at, &distance, 8); return true;
    case R_AARCH64_PREL32: memcpy(at, &distance, 4); return fits(distance, 32);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: insert(at, (uint64_t)jump, 0, 26); return fits(jump, 26);
    case R_AARCH64_ADR_PREL_PG_HI21: return insert_page(at, target, here);
    case R_AARCH64_ADR_GOT_PAGE: return insert_page(at, stub + STUB_ADDRESS, here);
    case R_AARCH64_LD64_GOT_LO12_NC: insert(at, ((uint64_t)(stub + STUB_ADDRESS) & 4095) >> 3, 10, 12); return true;
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: insert(at, low, 10, 12); return true;
    case R_AARCH64_LDST16_ABS_LO12_NC: insert(at, low >> 1, 10, 12); return true;
    case R_AARCH64_LDST32_ABS_LO12_NC: insert(at, low >> 2, 10, 12); return true;
    case R_AARCH64_LDST64_ABS_LO12_NC: insert(at, low >> 3, 10, 12); return true;
    case R_AARCH64_LDST128_ABS_LO12_NC: insert(at, low >> 4, 10, 12); return true;
    default: return false;
    }
}

#else

static bool is_long(uint32_t type)
{
    return type == R_X86_64_64 || type == R_X86_64_PC64;
}

static bool relocate(uint8_t *at, uint32_t type, int64_t target, int64_t stub, int64_t here)
{
    int64_t v = target - here;
    switch (type) {
    case R_X86_64_64: memcpy(at, &target, 8); return true;
    case R_X86_64_PC64: memcpy(at, &v, 8); return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (type == R_X86_64_PLT32 && !fits(v, 32)) v = stub - here;
        memcpy(at, &v, 4);
        return fits(v, 32);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        v = stub + STUB_ADDRESS - here;
        memcpy(at, &v, 4);
        return fits(v, 32);
    default: return false;
    }
}

#endif

static bool relocate_section(const layout *l, const Elf64_Shdr *table, const void **addresses)
{
    const size_t target = table->sh_info;
    if (target >= l->head.e_shnum) return false;
    if (l->at[target] == SIZE_MAX) return true;
    const Elf64_Shdr s = section(l, target);
    uint8_t *base = l->base + l->at[target];
    for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); ++i) {
        Elf64_Rela r;
        memcpy(&r, l->object + table->sh_offset + i * sizeof r, sizeof r);
        const size_t number = (size_t)ELF64_R_SYM(r.r_info);
        const uint32_t type = (uint32_t)ELF64_R_TYPE(r.r_info);
        if (r.r_offset > s.sh_size || s.sh_size - r.r_offset < (is_long(type) ? 8 : 4)) return false;
        if (number >= l->symbol_count || addresses[number] == NULL) return false;
        const int64_t address = (int64_t)(intptr_t)addresses[number], stub = (int64_t)(intptr_t)(l->base + l->stubs + number * STUB_BYTES);
        uint8_t *at = base + r.r_offset;
        if (!relocate(at, type, address + r.r_addend, stub + r.r_addend, (int64_t)(intptr_t)at)) return false;
    }
    return true;
}

static bool relocate_all(const layout *l, const void **addresses)
{
    for (size_t i = 0; i < l->head.e_shnum; ++i) {
        const Elf64_Shdr s = section(l, i);
        if (s.sh_type == SHT_REL || (s.sh_type == SHT_RELA && !relocate_section(l, &s, addresses))) return false;
    }
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------------------------------- */

static bool find_wanted(const layout *l, const void **addresses, air_image_symbol *wanted, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < l->symbol_count; ++i) {
        const Elf64_Sym s = symbol(l, i);
        for (size_t k = 0; k < count; ++k) {
            if (s.st_shndx == SHN_UNDEF || addresses[i] == NULL || !str_is(symbol_name(l, &s), wanted[k].name)) continue;
            wanted[k].address = addresses[i];
            ++found;
        }
    }
    return found == count;
}

static ingot_status link_layout(layout *l, const void **addresses, air_image_symbol *wanted, size_t count, ingot_error *error)
{
    str missing;
    if (!resolve_symbols(l, addresses, &missing)) return error_set(error, INGOT_INTERNAL, "the compiled kernel calls '%.*s', which is not there", STR_ARG(missing));
    if (!relocate_all(l, addresses) || !find_wanted(l, addresses, wanted, count))
        return error_set(error, INGOT_INTERNAL, "the compiled kernel's object file cannot be linked");
    if (mprotect(l->base, l->data, PROT_READ | PROT_EXEC) != 0) return error_set(error, INGOT_INTERNAL, "this process may not run code that it makes");
    __builtin___clear_cache((char *)l->base, (char *)l->base + l->data);
    return INGOT_OK;
}

ingot_status air_image_load(str object, air_image_resolver resolve, air_image_symbol *wanted, size_t wanted_count, air_image *out,
                            ingot_error *error)
{
    layout l;
    *out = (air_image){NULL, 0};
    if (!read_object(&l, object)) return error_set(error, INGOT_INTERNAL, "the compiled kernel's object file is damaged");
    l.resolve = resolve;
    const void **addresses = mem_zeroed(&mem_default, l.symbol_count + 1, sizeof *addresses);
    ingot_status status = addresses != NULL && place(&l) ? INGOT_OK : error_no_memory(error);
    if (status == INGOT_OK) status = link_layout(&l, addresses, wanted, wanted_count, error);
    mem_free(&mem_default, (void *)addresses, (l.symbol_count + 1) * sizeof *addresses);
    *out = (air_image){l.base, l.all};
    if (status != INGOT_OK) air_image_free(out);
    return status;
}

void air_image_free(air_image *image)
{
    if (image->base != NULL) (void)munmap(image->base, image->size);
    *image = (air_image){NULL, 0};
}
