"""What `speed.py` asks: twelve prompts a workload, none of which any text was recorded for (`trace_prompts.py`).

Nothing in the app was chosen by what comes of them. Words are those to which the demo model answers in the form asked
for: it writes a function for "a table of 5 villages".
"""

# fmt: off (lists of words)
_THINGS = (
    "customers",
    "paintings",
    "villages",
    "poems",
    "robots",
    "soups",
    "moons",
    "bridges",
    "flowers",
    "gadgets",
    "students",
    "games",
)
_ROWS = ("customers", "farmers", "nurses", "drivers", "actors", "robots")
_CODE = (
    "textwrap.indent",
    "shutil.copyfile",
    "os.path.split",
    "random.choices",
    "heapq.nsmallest",
    "statistics.mode",
    "bisect.bisect_left",
    "calendar.month",
    "difflib.unified_diff",
    "functools.partial",
    "fnmatch.fnmatch",
    "glob.iglob",
)
_TOPICS = (
    "lambda functions",
    "variables",
    "recursion",
    "the standard library",
    "loops",
    "classes",
    "queues",
    "pickling",
    "testing",
    "operators",
    "function arguments",
    "comments",
)
_CALLS = (
    "os.rename",
    "re.findall",
    "shutil.which",
    "time.monotonic",
    "random.seed",
    "threading.Event",
    "socket.gethostname",
    "itertools.islice",
    "hashlib.new",
    "struct.pack",
    "sys.exit",
    "math.sqrt",
)
# fmt: on
_ASK = {
    "json": ("Give me a JSON array of {} {}.", "Write {} {} as JSON."),
    "code": ("Show me the source of `{}`.", "Write Python code for `{}`.", "Write the function `{}`."),
    "prose": ("Write a short guide to {}.", "Explain {}.", "What should I know about {}?", "Tell me about {}."),
    "docstring": ("Explain `{}`.", "What does `{}` do?", "Describe `{}` briefly.", "How do I use `{}`?"),
}
PROMPTS = 12


def _ask(workload: str, place: int, *what: object) -> str:
    ways = _ASK[workload]
    return ways[place % len(ways)].format(*what)


_PLACES = range(PROMPTS)
WORKLOADS: dict[str, tuple[str, ...]] = {
    "json": tuple(_ask("json", i, 3 + i * 2 % 5, _THINGS[i]) for i in _PLACES),
    "count": tuple(f"Count from {2 + i * 5 % 19} to {30 + i * 5 % 19 + i % 4}." for i in _PLACES),
    "table": tuple(f"Make a table of {4 + i // 2} {_ROWS[i % 6]}." for i in _PLACES),
    "code": tuple(_ask("code", i, _CODE[i]) for i in _PLACES),
    "prose": tuple(_ask("prose", i, _TOPICS[i]) for i in _PLACES),
    "docstring": tuple(_ask("docstring", i, _CALLS[i]) for i in _PLACES),
}
REWRITE = (
    "Show me the source of `shutil.copystat`.",
    "Count from 7 to 36.",
    "Write the function `shutil.move`.",
    "Show me the source of `textwrap.indent`.",
    "Count from 13 to 43.",
    "Write the function `glob.iglob`.",
    "Show me the source of `textwrap.shorten`.",
    "Show me the source of `ast.literal_eval`.",
    "Show me the source of `json.load`.",
    "Count from 5 to 33.",
    "Show me the source of `os.path.splitext`.",
    "Show me the source of `copy.replace`.",
)
"""Asked twice, with the answer between. At temperature 0 the target in Q4_K_M says the same again to these, as to few
others: where it does not, nothing is rewritten."""
