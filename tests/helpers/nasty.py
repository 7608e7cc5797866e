"""Texts that models write, or could be made to write, and that break renderers."""

import random

WIDE = "|".join(f" c{n} " for n in range(60))


def corpus() -> dict[str, str]:
    """Name and text of each."""
    chance = random.Random(11)
    letters = "abcdefghij klmno pqrst uvwxyz"
    noise = "".join(chance.choice("`*_#>-+|[]()!<>&;:~$\\\n\t .1aZ") for _ in range(4000))
    texts = {
        "empty": "",
        "spaces only": "   \n \t \n   ",
        "open fence": "Look:\n\n```python\nprint('never closed')\nfor x in range(3):\n",
        "open tilde fence": "~~~~\ncode\n~~~\nstill code",
        "fence in fence": "````markdown\n```python\nx = 1\n```\n````\nafter",
        "fence in a list": "1. step\n   ```sh\n   ls -l\n   ```\n2. next",
        "fence closed by a longer one": "```\ncode\n``````\ntext after",
        "fence with attributes": '```{.python .numberLines startFrom="7"}\ncode = 1\n```',
        "fence of an unknown language": "```klingon\nqapla'\n```",
        "fence with a very long language": "```" + "x" * 3000 + "\ncode\n```",
        "empty fence": "```\n```\n\n```python\n```",
        "fence with carriage returns": "```\r\none\r\ntwo\r\n```\r\nafter\r\n",
        "old mac line ends": "# Head\rline one\r\r- item\r",
        "indented code": "text\n\n    four spaces\n\t\ttabs\n\nafter",
        "backticks in code": "`` a ` b `` and ``` c `` d ``` and `open",
        "huge table": "| id | name |\n|---|---|\n" + "".join(f"| {n} | row number {n} |\n" for n in range(1500)),
        "wide table": f"|{WIDE}|\n|{'|'.join('---' for _ in range(60))}|\n|{WIDE}|\n",
        "table without a body": "| a | b |\n|---|---|",
        "ragged table": "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 |\n|\n",
        "table with pipes": "| a | b |\n|:-:|--:|\n| x \\| y | `c \\| d` |\n",
        "table cut short": "| a | b |\n|---|---|\n| one | tw",
        "table in a quote": "> | a | b |\n> |---|---|\n> | 1 | 2 |\n",
        "one line of 10,000 letters": "x" * 10_000,
        "one line of 10,000 letters with spaces": "".join(chance.choice(letters) for _ in range(10_000)),
        "one line of code of 10,000 letters": "```json\n" + '{"key": [' + "1, " * 3300 + "2]}\n```",
        "right to left": "שלום עולם, this is mixed.\n\n- פריט ראשון\n- מזהה `code`\n\n> ציטוט\n\nمرحبا **بالعالم**",
        "right to left table": "| שם | مقدار |\n|---|---|\n| אחת | ١٢٣ |\n",
        "direction marks": "a\u202eb\u202cc \u2066d\u2069 \u200fe",
        "joined emoji": "👩‍👩‍👧‍👦 👨🏽‍🚀 🏳️‍🌈 🇩🇪 ❤️‍🔥 **👍🏿** `🧑‍💻`",
        "combining marks": "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞ e\u0301 n\u0303",
        "many combining marks": "o" + "\u0300\u0301\u0302" * 700 + " end",
        "zero width": "zero\u200bwidth\u200djoin\ufeffbom\u2060word \u00adsoft",
        "controls": "bell\x07 escape\x1b[31mred\x1b[0m null\0 delete\x7f form\x0cfeed vertical\x0btab",
        "separators of Unicode": "line\u2028separator and paragraph\u2029separator and next\x85line",
        "objects and non-characters": "object\ufffc replacement\ufffd last\uffff first\ufdd0",
        "private use and planes": "\ue000 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎𠜱 \U000f0000 \U0010fffd",
        "Chinese, Thai and Hindi without spaces": "这是一个很长的句子" * 60
        + "\n\n"
        + "ภาษาไทยไม่มีเว้นวรรค" * 20
        + "\n\nनमस्ते दुनिया",
        "smirk": "He said <smirk> and <b>left</b>. <!-- a comment --> <br/> <img src=x onerror=alert(1)>",
        "script": "<script>alert('x')</script>\n\n<style>* { display: none }</style>\n\n<div>\n\n**bold**\n\n</div>",
        "html block": "<table><tr><td>cell</td></tr></table>\n<details><summary>more</summary>hidden</details>",
        "entities": "&lt;b&gt; &amp;amp; &#169; &nbsp; &notanentity; &#x1F600; &",
        "template signs": "{# comment #} {{ variable }} {% if x %} {# open\n{{ open",
        "latex unbalanced": "$\\frac{1}{2$ and \\(x^{2\\) and \\[\\left( a \\]\n\n$$\n\\begin{cases} a \\\\ b\n$$",
        "latex deep": "$$" + "{" * 300 + "x" + "}" * 300 + "$$ and $" + "\\sqrt{" * 90 + "x" + "}" * 90 + "$",
        "latex long": "$$\n" + " + ".join(f"a_{{{n}}}x^{{{n}}}" for n in range(400)) + "\n$$",
        "latex open": "Then $$\n\\sum_{i=1}^n\n\nwords go on, and \\[ never ends",
        "dollars": "It costs $5 or $6, $$ or $$$; $HOME, ${x}, US$ 7$ and $ 8 $.",
        "list 12 deep": "".join(f"{'  ' * n}- level {n}\n" for n in range(12)),
        "list 120 deep": "".join(f"{'  ' * n}- level{n}\n" for n in range(120)),
        "quotes 60 deep": "".join(f"{'> ' * n}deep{n}\n" for n in range(1, 60)),
        "brackets 5000 deep": "[" * 5000 + "x" + "](y)" * 3,
        "stars without end": "**bold *both __more _all" * 200,
        "underscores in words": "snake_case_name and __init__ and *a*b*c* and 2*3*4",
        "task list": "- [ ] open\n- [x] done\n- [X] also\n- [] none",
        "numbers that begin late": "7. seven\n8. eight\n\n1986\\. was a year\n\n999999999. last",
        "list with loose lines": "- a\n\n  second paragraph\n\n\n- b\n\nno list",
        "heading levels": "# one\n## two\n### three\n#### four\n##### five\n###### six\n####### seven\n#none",
        "underlined headings": "One\n===\n\nTwo\n---\n\ntext\n***\n",
        "links": '[a](http://a.b "title") <http://c.d> [e][f] ![pic](http://g.h/i.png) [j](javascript:alert(1))\n\n[f]: http://k.l',
        "links with odd addresses": "[a](<http://b c>) [d](file:///etc/passwd) [e](copy:0) [f](save:0) [g]( http://h )",
        "link in a heading in a list": "- # [a](http://b) `c` **d**",
        "footnotes and definitions": "Text[^1] with a note.\n\n[^1]: The note.\n\nTerm\n: Definition",
        "hard breaks": "line one  \nline two\\\nline three\nline four",
        "thousands of empty lines": "first" + "\n" * 5000 + "last",
        "thousands of rules": "---\n\n" * 1500 + "end",
        "thousands of short fences": "```\nx\n```\n\n" * 400 + "end",
        "tabs": "a\tb\tc\n\n-\titem\n\t- inner\n\n>\tquote",
        "a diff": "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n```",
        "json with escapes": '```json\n{"a": "\\u00e4\\n\\"", "b": "\\\\\\\\"}\n```',
        "noise": noise,
        "200 kB of paragraphs": "A paragraph of **some** length with `code` in it and a [link](http://x.y).\n\n" * 2600,
        "200 kB in one paragraph": "word and `code` and **more** and so on " * 5200,
        "200 kB in one fence": "```python\n" + "value = compute(1, 'two')  # a comment\n" * 5200,
        "200 kB of list": "- an item with **bold** text and `code`\n" * 5000,
    }
    assert len(texts) >= 60
    return texts
