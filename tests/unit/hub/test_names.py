"""Names: quantisations in file names, split sets in listings, what people paste."""

import pytest

from app.core.errors import UserError
from app.hub.address import Address, parse
from app.hub.quantisation import choose, label, offers
from app.hub.remote import RemoteFile


@pytest.mark.parametrize(
    ("name", "quantisation"),
    [
        ("Qwen3-8B-Q4_K_M.gguf", "Q4_K_M"),
        ("qwen2.5-coder-7b-instruct-q8_0.gguf", "Q8_0"),
        ("Qwen3-32B-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"),
        ("model.Q5_K_S.gguf", "Q5_K_S"),
        ("gemma-3-12b-it-q4_0.gguf", "Q4_0"),
        ("Llama-3.2-1B-Instruct-f16.gguf", "F16"),
        ("llama-fp16.gguf", "F16"),
        ("gpt-oss-20b-mxfp4.gguf", "MXFP4"),
        ("model-IQ3_XXS.gguf", "IQ3_XXS"),
        ("BF16/model-BF16-00001-of-00002.gguf", "BF16"),
        ("Q6_K/model-00001-of-00002.gguf", "Q6_K"),
        ("model.gguf", ""),
        ("Qwen3-8B.gguf", ""),
        ("model-Q4_K_M-but-not.gguf", "Q4_K_M"),
    ],
)
def test_labels(name: str, quantisation: str) -> None:
    assert label(name) == quantisation


def test_offers_are_whole_models() -> None:
    def file(name: str, size: int = 10) -> RemoteFile:
        return RemoteFile(name=name, size=size, sha256="")

    found = offers(
        [
            file("README.md"),
            file("model-Q8_0.gguf", 80),
            file("model-Q4_K_M.gguf", 40),
            file("mmproj-model-f16.gguf"),
            file("mtp-model-Q8_0.gguf"),
            file("imatrix.gguf"),
            file("big/model-F16-00002-of-00002.gguf", 100),
            file("big/model-F16-00001-of-00002.gguf", 100),
            file("model-BF16-00001-of-00003.gguf"),
        ]
    )
    assert [(offer.name, offer.quantisation, offer.size) for offer in found] == [
        ("model-Q4_K_M.gguf", "Q4_K_M", 40),
        ("model-Q8_0.gguf", "Q8_0", 80),
        ("big/model-F16", "F16", 200),
    ]
    assert [part.name for part in found[2].files] == [
        "big/model-F16-00001-of-00002.gguf",
        "big/model-F16-00002-of-00002.gguf",
    ]
    assert choose(found, ["Q4_0", "q4_k_m", "Q8_0"]) == found[0]
    assert choose(found, ["Q2_K"]) is None


def test_a_plain_name_wins_among_equals() -> None:
    both = offers([RemoteFile(name=name, size=1, sha256="") for name in ("m-Q4_0-extra.gguf", "m-Q4_0.gguf")])
    chosen = choose(both, ["Q4_0"])
    assert chosen is not None
    assert chosen.name == "m-Q4_0.gguf"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Qwen/Qwen3-8B-GGUF", Address("Qwen/Qwen3-8B-GGUF")),
        ("  Qwen/Qwen3-8B-GGUF:Q4_K_M ", Address("Qwen/Qwen3-8B-GGUF")),
        ("https://huggingface.co/Qwen/Qwen3-8B-GGUF", Address("Qwen/Qwen3-8B-GGUF")),
        ("<https://huggingface.co/Qwen/Qwen3-8B-GGUF?show=1#files>", Address("Qwen/Qwen3-8B-GGUF")),
        ("hf.co/Qwen/Qwen3-8B-GGUF/tree/main", Address("Qwen/Qwen3-8B-GGUF", "main")),
        (
            "https://huggingface.co/a/b/resolve/main/sub/x%20y.gguf?download=true",
            Address("a/b", "main", "sub/x y.gguf"),
        ),
        ("https://mirror.example/a/b/blob/v1/x.gguf", Address("a/b", "v1", "x.gguf")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "model",
        "a/b/c",
        "../b",
        "a/..b/..",
        "two words/x",
        "ü/x",
        "https://huggingface.co/",
        "https://huggingface.co/datasets/a/b",
        "https://[broken",
        "x" * 10_000,
    ],
)
def test_no_addresses(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text)
    assert len(caught.value.sentence) < 200
