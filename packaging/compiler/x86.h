/* Put in front of every C++ file of the engine on x86-64 (dev_system.engine_compiler). */

/* With arithmetic in half precision llama.cpp's flash attention adds up values 128 at a time, and what is left over one
 * by one: of heads of 64 or 80 numbers, which many small models have, that is all of them. After 600 tokens a pass then
 * takes 1.6 times as long for one row, and 3 times for 16 (0.3 B, Q4_K_M, two cores). Without, it is 64 at a time in
 * single precision. Packages are compiled without anyway.
 */
#undef __AVX512FP16__

/* In the header of GCC 12.2 (Debian 12) _tile_loadconfig says that it reads 8 of the 64 bytes of a tile
 * configuration. The optimiser then throws away the stores to the others, no tile is configured, and the first
 * instruction on one is illegal: the engine dies on a processor with AMX as soon as a pass has two rows. (So it is told
 * in llama.cpp's pull request 26954 too.) With a compiler that has this right, the function here does the same as its.
 */
#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

struct outpace_tile_config {
    char bytes[64];
};

static inline __attribute__((always_inline)) void outpace_tile_loadconfig(const void *config) {
    __asm__ volatile("ldtilecfg\t%X0" ::"m"(*(const struct outpace_tile_config *)config));
}

#define _tile_loadconfig outpace_tile_loadconfig
#endif
