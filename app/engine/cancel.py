"""A flag that another thread sets, readable by native code without the interpreter."""

import ctypes


class CancelFlag:
    """One request's cancel flag.

    The flag is a C string: empty while the request runs, one character long once it is cancelled. Native code can thus
    ask for its `strlen`, and needs neither a callback into Python nor the interpreter lock for that.
    """

    def __init__(self) -> None:
        self._text = ctypes.create_string_buffer(2)

    def set(self) -> None:
        """Cancel; more than once is fine."""
        self._text[0] = b"\x01"

    def is_set(self) -> bool:
        return self._text[0] != b"\x00"

    @property
    def address(self) -> int:
        """Of the C string; valid as long as this object lives."""
        return ctypes.addressof(self._text)
