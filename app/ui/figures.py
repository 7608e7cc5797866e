"""Numbers as words, the same everywhere in the window. Unknown is "-", never 0."""

UNKNOWN = "-"
_NARROW = "\N{NARROW NO-BREAK SPACE}"


def per_second(speed: float | None) -> str:
    """Tokens per second, for example "61.3 tok/s"."""
    if speed is None:
        return UNKNOWN
    return f"{speed:.1f} tok/s" if speed < 100 else f"{speed:.0f} tok/s"


def share(value: float | None) -> str:
    """A share of 0 to 1 as per cent; only 0 is "0 %" and only 1 is "100 %"."""
    if value is None:
        return UNKNOWN
    whole = round(100 * value)
    if 0 < value < 1:
        whole = min(max(whole, 1), 99)
    return f"{whole}{_NARROW}%"


def duration(ms: float) -> str:
    """Milliseconds in the unit that reads best; 0 or less is unknown."""
    if ms <= 0:
        return UNKNOWN
    if ms < 10:
        return f"{ms:.1f} ms"
    if ms < 1000:
        return f"{ms:.0f} ms"
    return f"{ms / 1000:.2f} s" if ms < 10_000 else f"{ms / 1000:.1f} s"


def ratio(value: float | None) -> str:
    """A plain ratio with one or two decimals."""
    if value is None:
        return UNKNOWN
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def times(value: float | None) -> str:
    """A gain, for example "2.1 x" with the multiplication sign."""
    return UNKNOWN if value is None else f"{value:.1f}\N{MULTIPLICATION SIGN}"


def count(value: int) -> str:
    """A number with thousands set apart."""
    return f"{value:,}".replace(",", _NARROW)


def parameters(value: int) -> str:
    """Parameters of a model: "8.0 B", "270 M"."""
    if value <= 0:
        return UNKNOWN
    if value >= 999_500_000:
        return f"{value / 1e9:.1f}{_NARROW}B"
    if value >= 9_950_000:
        return f"{value / 1e6:.0f}{_NARROW}M"
    return f"{value / 1e6:.1f}{_NARROW}M" if value >= 50_000 else count(value)


def size(value: int) -> str:
    """Bytes as "4.7 GB"."""
    if value <= 0:
        return UNKNOWN
    amount, unit = float(value), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    digits = 1 if amount < 100 and unit not in ("B", "kB") else 0
    return f"{amount:.{digits}f}{_NARROW}{unit}"
