"""What the recorded texts answer, in two series of twenty prompts a workload."""

# fmt: off (lists of words)
THINGS = (
    ("users", "songs", "cities", "books", "sensors", "recipes", "planets", "rivers", "birds", "products"),
    ("teachers", "films", "islands", "magazines", "engines", "cakes", "stars", "lakes", "trees", "tools"),
)
CODE = (
    (
        "textwrap.dedent",
        "shutil.copytree",
        "os.path.join",
        "random.shuffle",
        "json.dumps",
        "statistics.median",
        "heapq.merge",
        "glob.glob",
        "string.capwords",
        "difflib.get_close_matches",
        "collections.namedtuple",
        "inspect.getsource",
        "calendar.isleap",
        "bisect.insort",
        "functools.reduce",
        "ast.walk",
        "tempfile.mkdtemp",
        "urllib.parse.urljoin",
        "copy.deepcopy",
        "traceback.print_exc",
    ),
    (
        "textwrap.wrap",
        "os.makedirs",
        "random.sample",
        "json.loads",
        "statistics.mean",
        "heapq.nlargest",
        "fnmatch.filter",
        "string.Template",
        "itertools.groupby",
        "collections.Counter",
        "inspect.signature",
        "calendar.monthrange",
        "bisect.bisect",
        "functools.lru_cache",
        "ast.parse",
        "tempfile.TemporaryDirectory",
        "urllib.parse.quote",
        "copy.copy",
        "traceback.format_exc",
        "shutil.rmtree",
    ),
)
TOPICS = (
    (
        "list comprehensions",
        "regular expressions",
        "generators",
        "context managers",
        "logging",
        "sockets",
        "exceptions",
        "threads",
        "dictionaries",
        "file objects",
        "decorators",
        "unit tests",
        "the import system",
        "Unicode",
        "sorting",
        "metaclasses",
        "coroutines",
        "command line arguments",
        "floating point numbers",
        "virtual environments",
    ),
    (
        "closures",
        "iterators",
        "asyncio",
        "doctest",
        "packages",
        "modules",
        "string formatting",
        "sets",
        "tuples",
        "inheritance",
        "properties",
        "type hints",
        "paths",
        "subprocesses",
        "JSON",
        "dates and times",
        "the garbage collector",
        "bytes",
        "databases",
        "profiling",
    ),
)
CALLS = (
    (
        "json.dumps",
        "asyncio.gather",
        "os.walk",
        "re.sub",
        "itertools.chain",
        "subprocess.run",
        "pathlib.Path",
        "socket.create_connection",
        "hashlib.sha256",
        "random.choice",
        "shutil.move",
        "threading.Lock",
        "csv.reader",
        "time.sleep",
        "pickle.loads",
        "zipfile.ZipFile",
        "datetime.timedelta",
        "io.StringIO",
        "contextlib.suppress",
        "queue.Queue",
    ),
    (
        "json.loads",
        "asyncio.sleep",
        "os.listdir",
        "re.match",
        "itertools.count",
        "subprocess.Popen",
        "pathlib.Path.glob",
        "socket.socket",
        "hashlib.md5",
        "random.randint",
        "shutil.copy",
        "threading.Thread",
        "csv.writer",
        "time.time",
        "pickle.dumps",
        "gzip.open",
        "datetime.datetime",
        "io.BytesIO",
        "contextlib.closing",
        "heapq.heappush",
    ),
)
# fmt: on


def prompts(series: int) -> dict[str, list[str]]:
    """Twenty a workload."""
    things, code, topics, calls = THINGS[series], CODE[series], TOPICS[series], CALLS[series]
    ask = {
        "json": ["Give me a JSON array of {} {}.", "Write {} {} as JSON.", "List {} {} in JSON."],
        "code": ["Write Python code for `{}`.", "Show me the source of `{}`.", "Write the function `{}`."],
        "prose": ["Tell me about {}.", "Write a short guide to {}.", "Explain {}.", "What should I know about {}?"],
        "doc": ["What does `{}` do?", "Explain `{}`.", "How do I use `{}`?", "Describe `{}` briefly."],
    }

    def pick(kind: str, i: int) -> str:
        return ask[kind][(i + series) % len(ask[kind])]

    counts = range(20)
    start = 1 + 3 * series
    return {
        "json": [pick("json", i).format(2 + i * 3 % 5, things[(i * 7 + i // 10) % 10]) for i in counts],
        "counting": [f"Count from {start + i * 7 % 20} to {start + 23 + i * 7 % 20 + i % 3}." for i in counts],
        "table": [
            f"Make a table of {3 + i // 2} people." if i % 2 else f"List {4 + i // 4} {things[i * 3 % 10]}."
            for i in counts
        ],
        "code": [pick("code", i).format(code[i]) for i in counts],
        "prose": [pick("prose", i).format(topics[i]) for i in counts],
        "docstring": [pick("doc", i).format(calls[i]) for i in counts],
    }
