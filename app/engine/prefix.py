"""How much of a cache the next prompt can keep."""

from collections.abc import Sequence


def common_length(one: Sequence[int], two: Sequence[int]) -> int:
    """Length of the longest common prefix. Compares slices first, so that equal histories cost one comparison."""
    limit = min(len(one), len(two))
    low, high = 0, limit
    if list(one[:limit]) == list(two[:limit]):
        return limit
    while low < high:  # first difference by bisection: one[:low] == two[:low] always holds
        middle = (low + high + 1) // 2
        if list(one[low:middle]) == list(two[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def keep_length(held: Sequence[int], wanted: Sequence[int], *, can_truncate: bool) -> int:
    """Tokens of the cache that stay, so that decoding `wanted[keep:]` gives the logits after `wanted`.

    At least one token is always left to decode, since only a decode gives logits. A model that cannot be cut keeps all
    of its cache or nothing.
    """
    keep = min(common_length(held, wanted), len(wanted) - 1)
    if keep < len(held) and not can_truncate:
        return 0
    return max(keep, 0)
