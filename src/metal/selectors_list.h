/* Each message as METAL_ROW(NAME, TEXT), without its types. Included once for each use, hence no guard. */
#define METAL_GET0(T, NAME, TEXT) METAL_ROW(NAME, TEXT)
#define METAL_GET1(T, NAME, TEXT, A) METAL_ROW(NAME, TEXT)
#define METAL_GET2(T, NAME, TEXT, A, B) METAL_ROW(NAME, TEXT)
#define METAL_GET3(T, NAME, TEXT, A, B, C) METAL_ROW(NAME, TEXT)
#define METAL_GET4(T, NAME, TEXT, A, B, C, D) METAL_ROW(NAME, TEXT)
#define METAL_SIZE(NAME, TEXT) METAL_ROW(NAME, TEXT)
#define METAL_DO0(NAME, TEXT) METAL_ROW(NAME, TEXT)
#define METAL_DO1(NAME, TEXT, A) METAL_ROW(NAME, TEXT)
#define METAL_DO2(NAME, TEXT, A, B) METAL_ROW(NAME, TEXT)
#define METAL_DO3(NAME, TEXT, A, B, C) METAL_ROW(NAME, TEXT)
#define METAL_DO5(NAME, TEXT, A, B, C, D, E) METAL_ROW(NAME, TEXT)
#include "metal/selectors.def"
#include "metal/selectors_undef.h"
#undef METAL_ROW
