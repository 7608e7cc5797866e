"""Texts to be continued, of many kinds: what speculation does depends on what is said."""

JSON = {
    "json_object": '{"name": "Ada", "age": 36, "city": "London"}\n{"name": "Grace", "age": 45, "city":',
    "json_list": '[{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["a", "b"]}, {"id": 3,',
    "json_settings": '{\n  "editor": {\n    "tabSize": 4,\n    "wordWrap": "on"\n  },\n  "files": {\n    "',
    "json_nested": '{"a": {"b": {"c": {"d": [1, [2, [3, [',
    "toml": '[project]\nname = "demo"\nversion = "0.1.0"\n\n[project.scripts]\ndemo =',
}
COUNTING = {
    "numbers": "1, 2, 3, 4, 5, 6, 7, 8,",
    "squares": "1 4 9 16 25 36 49",
    "list": "1. one\n2. two\n3. three\n4. four\n5.",
    "weekdays": "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, Monday, Tuesday,",
    "letters": "a b c d e f g h i j k",
    "countdown": "10 9 8 7 6",
    "hex": "0x00 0x01 0x02 0x03 0x04",
}
TABLES = {
    "markdown_table": "| name | size |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n| c |",
    "csv": "id,name,price\n1,apple,0.50\n2,pear,0.75\n3,plum,",
    "aligned": "Name      Age   City\nAda       36    London\nGrace     45    New York\nAlan",
    "log": "2024-01-01 00:00:01 INFO start\n2024-01-01 00:00:02 INFO ready\n2024-01-01 00:00:03",
}
CODE = {
    "function": "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return",
    "class": "class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.y =",
    "loop": "for i in range(10):\n    for j in range(10):\n        print(i, j)\n\nfor i in range(",
    "imports": "import os\nimport sys\nimport json\nimport",
    "try": "try:\n    value = int(text)\nexcept ValueError:\n    value = None\ntry:\n    other =",
    "dictionary": 'colours = {\n    "red": "#ff0000",\n    "green": "#00ff00",\n    "blue":',
    "c": "int main(void) {\n    for (int i = 0; i < 10; i++) {\n        printf(",
    "sql": "SELECT id, name FROM users WHERE id = 1;\nSELECT id, name FROM users WHERE id = 2;\nSELECT",
    "html": "<ul>\n  <li>one</li>\n  <li>two</li>\n  <li>",
    "test": "def test_add():\n    assert add(1, 2) == 3\n    assert add(2, 3) == 5\n    assert",
    "unbalanced": "((((((((((",
}
DOCSTRINGS = {
    "function_doc": '"""Return the length of the list.\n\nArgs:\n    items: The list.\n\nReturns:\n   ',
    "module_doc": ".. module:: json\n   :synopsis: Encode and decode the JSON format.\n\nThe :mod:`json` module",
    "option_doc": "If *encoding* is not given, the default is used. If *errors* is not given,",
    "doctest": ">>> len([1, 2, 3])\n3\n>>> len([])\n0\n>>> len('abc')\n",
}
PROSE = {
    "story": "Once upon a time there was a small house at the edge of the wood, and in the small house",
    "definition": "A list is a mutable sequence. A tuple is",
    "question": "What is the difference between a list and a tuple in Python?",
    "instruction": "Explain what a generator is, in two sentences.",
    "repeat": "The cat sat on the mat. The cat sat on the mat. The cat sat on the mat. The cat",
    "dialogue": "- Good morning!\n- Good morning, how are you?\n- Fine, thank you. And you?\n-",
    "one_word": "Hello",
    "one_letter": "a",
    "one_space": " x",
}
UNICODE = {
    "german": "Über den Fluß führen zwölf Brücken; über die größte gehen täglich",
    "chinese": "一二三四五六七",
    "arabic": "السلام عليكم",
    "emoji": "🎉🎉🎉 👩‍👩‍👧 🇩🇪 🎉🎉",
    "combining": "e\u0301 a\u0308 n\u0303 e\u0301 a\u0308",
    "mathematics": "∀ x ∈ ℝ: x² ≥ 0, ∃ y ∈ ℝ:",
}
LONG = {
    "long": "The quick brown fox jumps over the lazy dog, and the lazy dog looks at the quick brown fox. " * 12,
    "long_code": "".join(f"def get_{name}(self):\n    return self._{name}\n\n\n" for name in "abcdefghijklmnop"),
}

PROMPTS: dict[str, str] = {**JSON, **COUNTING, **TABLES, **CODE, **DOCSTRINGS, **PROSE, **UNICODE, **LONG}
"""Name -> text; more than 40."""
