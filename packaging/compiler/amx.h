/* Put in front of every C++ file of the engine (dev_system.engine_compiler); empty but for AMX.
 *
 * In the header of GCC 12.2 (Debian 12) _tile_loadconfig says that it reads 8 of the 64 bytes of a tile
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
