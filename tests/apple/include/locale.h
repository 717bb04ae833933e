/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_LOCALE_H
#define APPLE_LOCALE_H

#define LC_ALL 0
#define LC_NUMERIC 4
#define LC_NUMERIC_MASK 16
#define LC_ALL_MASK 63
typedef struct apple_locale *locale_t;
struct lconv {
    char *decimal_point;
};
struct lconv *localeconv(void);
char *setlocale(int category, const char *locale);
locale_t newlocale(int mask, const char *locale, locale_t base);
locale_t uselocale(locale_t locale);
void freelocale(locale_t locale);

#endif
