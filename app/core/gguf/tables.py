"""Numbers and names of the format, as the bundled llama.cpp knows them."""

import struct
from types import MappingProxyType

MAGIC = b"GGUF"
VERSIONS = (2, 3)
DEFAULT_ALIGNMENT = 32

STRING, ARRAY, BOOL = 8, 9, 7
SCALARS = MappingProxyType(
    {
        0: struct.Struct("<B"),
        1: struct.Struct("<b"),
        2: struct.Struct("<H"),
        3: struct.Struct("<h"),
        4: struct.Struct("<I"),
        5: struct.Struct("<i"),
        6: struct.Struct("<f"),
        7: struct.Struct("<B"),
        10: struct.Struct("<Q"),
        11: struct.Struct("<q"),
        12: struct.Struct("<d"),
    }
)

TENSOR_TYPES = MappingProxyType(
    {
        # id: (name, weights in a block, bytes of a block)
        0: ("F32", 1, 4),
        1: ("F16", 1, 2),
        2: ("Q4_0", 32, 18),
        3: ("Q4_1", 32, 20),
        6: ("Q5_0", 32, 22),
        7: ("Q5_1", 32, 24),
        8: ("Q8_0", 32, 34),
        9: ("Q8_1", 32, 36),
        10: ("Q2_K", 256, 84),
        11: ("Q3_K", 256, 110),
        12: ("Q4_K", 256, 144),
        13: ("Q5_K", 256, 176),
        14: ("Q6_K", 256, 210),
        15: ("Q8_K", 256, 292),
        16: ("IQ2_XXS", 256, 66),
        17: ("IQ2_XS", 256, 74),
        18: ("IQ3_XXS", 256, 98),
        19: ("IQ1_S", 256, 50),
        20: ("IQ4_NL", 32, 18),
        21: ("IQ3_S", 256, 110),
        22: ("IQ2_S", 256, 82),
        23: ("IQ4_XS", 256, 136),
        24: ("I8", 1, 1),
        25: ("I16", 1, 2),
        26: ("I32", 1, 4),
        27: ("I64", 1, 8),
        28: ("F64", 1, 8),
        29: ("IQ1_M", 256, 56),
        30: ("BF16", 1, 2),
        34: ("TQ1_0", 256, 54),
        35: ("TQ2_0", 256, 66),
        39: ("MXFP4", 32, 17),
        40: ("NVFP4", 64, 36),
        41: ("Q1_0", 128, 18),
        42: ("Q2_0", 64, 18),
    }
)
REMOVED_TENSOR_TYPES = frozenset({4, 5, 31, 32, 33, 36, 37, 38})

BLOCK_BYTES = MappingProxyType({name: (block, size) for name, block, size in TENSOR_TYPES.values()})

FILE_TYPES = MappingProxyType(
    {
        0: "F32",
        1: "F16",
        2: "Q4_0",
        3: "Q4_1",
        7: "Q8_0",
        8: "Q5_0",
        9: "Q5_1",
        10: "Q2_K",
        11: "Q3_K_S",
        12: "Q3_K_M",
        13: "Q3_K_L",
        14: "Q4_K_S",
        15: "Q4_K_M",
        16: "Q5_K_S",
        17: "Q5_K_M",
        18: "Q6_K",
        19: "IQ2_XXS",
        20: "IQ2_XS",
        21: "Q2_K_S",
        22: "IQ3_XS",
        23: "IQ3_XXS",
        24: "IQ1_S",
        25: "IQ4_NL",
        26: "IQ3_S",
        27: "IQ3_M",
        28: "IQ2_S",
        29: "IQ2_M",
        30: "IQ4_XS",
        31: "IQ1_M",
        32: "BF16",
        36: "TQ1_0",
        37: "TQ2_0",
        38: "MXFP4",
        39: "NVFP4",
        40: "Q1_0",
        41: "Q2_0",
    }
)

RECURRENT = frozenset({"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
HYBRID = frozenset(
    {
        "bailingmoe3",
        "deepseek4",
        "falcon-h1",
        "glm5-next",
        "granitehybrid",
        "jamba",
        "kimi-k3",
        "kimi-linear",
        "lfm2",
        "lfm2moe",
        "minimax-01",
        "nemotron_h",
        "nemotron_h_moe",
        "plamo2",
        "qwen35",
        "qwen35moe",
        "qwen3next",
        "qwen4exp",
    }
)
WITH_SNAPSHOTS = frozenset(
    {
        "bailingmoe3",
        "deepseek4",
        "glm5-next",
        "kimi-k3",
        "lfm2",
        "lfm2moe",
        "nemotron_h",
        "nemotron_h_moe",
        "qwen35",
        "qwen35moe",
        "qwen4exp",
    }
)
"""Recurrent and hybrid models of which llama.cpp keeps snapshots of the state."""
EMBEDDING = frozenset(
    {
        "bert",
        "eurobert",
        "gemma-embedding",
        "jina-bert-v2",
        "jina-bert-v3",
        "llama-embed",
        "modern-bert",
        "neo-bert",
        "nomic-bert",
        "nomic-bert-moe",
        "t5encoder",
    }
)
ENCODER_DECODER = frozenset({"t5"})
DIFFUSION = frozenset({"dream", "llada", "llada-moe", "rnd1"})
SPEECH = frozenset({"pockettts", "qwen3tts", "wavtokenizer-dec"})
VISION = frozenset({"clip"})
DRAFTERS = frozenset({"dflash", "dspark", "eagle", "eagle3", "medusa"})
