"""What shared noise is worth: tokens per pass at temperature 0.8, against proposing the draft's argmax."""

import math

from app.core import paths
from app.engine.backends.llamacpp.context import Context
from app.engine.backends.llamacpp.weights import Weights
from app.engine.cancel import CancelFlag
from app.engine.ports import TokenModel
from app.engine.sampling import Sampler
from app.protocol.options import SamplingOptions

LOOKAHEAD = 7
TOKENS = 90
SEEDS = (1, 2)
QUESTIONS = {
    "json": "Give me a JSON array of 5 users.",
    "code": "Write Python code for `textwrap.dedent`.",
    "prose": "Tell me about list comprehensions.",
    "docstring": "What does `json.dumps` do?",
}


def sampled(model: TokenModel, prompt: list[int], seed: int) -> list[int]:
    sampler = Sampler(SamplingOptions(temperature=0.8), seed, prompt)
    model.clear()
    model.decode(prompt)
    text: list[int] = []
    while len(text) < TOKENS and not (text and text[-1] in model.end_tokens):
        text.append(sampler.choose(model.logits(-1), len(prompt) + len(text)).token)
        model.decode(text[-1:])
    return text


def passes(draft: TokenModel, prompt: list[int], text: list[int], rule: Sampler) -> int:
    """Passes of the target for all tokens but the first, with a fixed lookahead, if the draft chooses by `rule`."""
    draft.clear()
    draft.decode(prompt)
    count, kept = 0, 1
    while kept < len(text):
        count += 1
        draft.truncate(len(prompt) + kept - 1)
        draft.decode(text[draft.length - len(prompt) : kept])
        right = 0
        while right < LOOKAHEAD and kept + right < len(text):
            token = rule.choose(draft.logits(-1), len(prompt) + kept + right).token
            if token != text[kept + right]:
                break
            right += 1
            draft.decode([token])
        kept += right + 1
    return count


def test_shared_noise_keeps_more_tokens_per_pass_than_the_argmax() -> None:
    weights = [Weights(file, 0, lambda _: None, CancelFlag()) for file in paths.demo_pair()]
    target, draft = (Context(w, 512, 1) for w in weights)
    gains = {}
    try:
        for name, question in QUESTIONS.items():
            chat = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
            prompt = weights[0].tokenise(chat, specials=True, add_bos=weights[0].adds_bos)
            noisy = argmax = 0
            for seed in SEEDS:
                text = sampled(target, prompt, seed)
                noisy += passes(draft, prompt, text, Sampler(SamplingOptions(temperature=0.8), seed, prompt))
                argmax += passes(draft, prompt, text, Sampler(SamplingOptions(temperature=0.0), seed, prompt))
            gains[name] = argmax / noisy
    finally:
        for context in (target, draft):
            context.close()
        for model in weights:
            model.close()
    assert all(gain > 1.0 for gain in gains.values()), gains
    assert math.prod(gains.values()) ** (1 / len(gains)) >= 1.15, gains
