"""Numbers as words."""

import pytest

from app.ui import figures

N = "\u202f"


@pytest.mark.parametrize(
    ("call", "value", "words"),
    [
        (figures.per_second, None, "-"),
        (figures.per_second, 61.34, "61.3 tok/s"),
        (figures.per_second, 1234.5, "1234 tok/s"),
        (figures.share, None, "-"),
        (figures.share, 0.0, f"0{N}%"),
        (figures.share, 1.0, f"100{N}%"),
        (figures.share, 0.001, f"1{N}%"),
        (figures.share, 0.999, f"99{N}%"),
        (figures.share, 0.72, f"72{N}%"),
        (figures.duration, 0.0, "-"),
        (figures.duration, 3.21, "3.2 ms"),
        (figures.duration, 215.0, "215 ms"),
        (figures.duration, 2345.0, "2.35 s"),
        (figures.duration, 61_000.0, "61.0 s"),
        (figures.ratio, None, "-"),
        (figures.ratio, 3.597, "3.60"),
        (figures.ratio, 12.34, "12.3"),
        (figures.times, None, "-"),
        (figures.times, 2.08, "2.1×"),
        (figures.count, 0, "0"),
        (figures.count, 1234567, f"1{N}234{N}567"),
        (figures.parameters, 0, "-"),
        (figures.parameters, 1000, f"1{N}000"),
        (figures.parameters, 600_000, f"0.6{N}M"),
        (figures.parameters, 5_900_000, f"5.9{N}M"),
        (figures.parameters, 268_000_000, f"268{N}M"),
        (figures.parameters, 999_900_000, f"1.0{N}B"),
        (figures.parameters, 8_190_000_000, f"8.2{N}B"),
        (figures.size, 0, "-"),
        (figures.size, 512, f"512{N}B"),
        (figures.size, 6_500_000, f"6.5{N}MB"),
        (figures.size, 256_000_000, f"256{N}MB"),
        (figures.size, 4_700_000_000, f"4.7{N}GB"),
        (figures.size, 9_900_000_000_000_000, f"9900{N}TB"),
    ],
)
def test_figures(call, value, words) -> None:
    assert call(value) == words
