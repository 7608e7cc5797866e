"""Runs the part for Vulkan without a GPU: on lavapipe, Mesa's device that computes on the processor.

    python3 packaging/smoke/vulkan.py BUNDLE        a bundle that was made with --gpu vulkan

The demo pair answers with its layers on the device in several ways, with the same tokens as on the processor, and goes
on without the device when that is gone. Exit code 0, also with SKIPPED and the reason where it cannot be tried; else 1.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from machine import SmokeError

PROMPT = "List 2 users in JSON."
LAYERS = 7
"""Of the demo target, its output among them."""
MOST_CRASHES = 8
"""Of the driver in one answer: Mesa 22.3's falls over itself on a busy machine, in a thread of its own."""
# Name, what is asked for, and layers of the target there.
WAYS = (
    ("all on the device", str(LAYERS), LAYERS),
    ("some", "3", 3),
    ("the draft, and little of the target", "1", 1),
)


def main(bundle: Path) -> int:
    """Try it; 0, or 1 with what went wrong."""
    drivers = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
    if not drivers:
        print("SKIPPED: there is no lavapipe here: apt-get install mesa-vulkan-drivers")
        return 0
    if not list((bundle / "_internal" / "llama_cpp" / "lib").glob("libggml-vulkan.so")):
        print(f"SKIPPED: {bundle} was made without --gpu vulkan")
        return 0
    # llama.cpp leaves devices that compute on the processor alone, unless they are named.
    device = {"VK_ICD_FILENAMES": str(drivers[0]), "GGML_VK_VISIBLE_DEVICES": "0"}
    gone = {"VK_ICD_FILENAMES": "/nonexistent.json", "GGML_VK_VISIBLE_DEVICES": "0"}
    try:
        print(f"device: {device_of(bundle, device) or 'none'}")
        plain = answer(bundle, device, "0")
        require_same("none on the device", plain, plain, 0)
        for name, asked, there in WAYS:
            require_same(name, answer(bundle, device, asked), plain, there)
        if device_of(bundle, gone):
            raise SmokeError("the device is still there when its driver is gone")
        require_same("the driver is gone", answer(bundle, gone, str(LAYERS)), plain, 0)
    except (SmokeError, subprocess.TimeoutExpired) as problem:
        print(f"FAILED: {problem}", file=sys.stderr)
        return 1
    return 0


def require_same(name: str, got: dict[str, Any], plain: dict[str, Any], layers: int) -> None:
    """The tokens of the processor, in fixed shape, drafts among them, and these layers of the target on the device."""
    if got["gpu_layers"] != layers or bool(got["draft_gpu_layers"]) != bool(layers):
        raise SmokeError(f"{name}: {got['gpu_layers']} layers are there, of the draft {got['draft_gpu_layers']}")
    if got["token_ids"] != plain["token_ids"]:
        parts = next(i for i, (a, b) in enumerate(zip(got["token_ids"], plain["token_ids"], strict=False)) if a != b)
        raise SmokeError(f"{name}: other tokens from token {parts} on:\n{got['text']}\n---\n{plain['text']}")
    if not got["accepted"]:
        raise SmokeError(f"{name}: no drafted token was accepted: {got}")
    there = f"{layers} layers of the target and {got['draft_gpu_layers']} of the draft there"
    print(f"{name}: {there}, {len(got['token_ids'])} tokens as on the processor, {got['accepted']} of them drafted")


def device_of(bundle: Path, variables: dict[str, str]) -> str:
    """The device that the engine finds, "" for none."""
    done = run([bundle / "outpace-engine", "--role", "probe-engine"], variables)
    devices = json.loads(done.stdout.splitlines()[-1])["devices"]
    return ", ".join(str(description) for _, description, *_ in devices)


def answer(bundle: Path, variables: dict[str, str], layers: str) -> dict[str, Any]:
    """An answer of the demo pair in fixed shape, and all about it."""
    demo = bundle / "_internal" / "resources" / "demo"
    command = [bundle / "outpace-engine", "generate", "--json", "--model", demo / "outpace-demo-target-q8_0.gguf"]
    command += ["--draft", demo / "outpace-demo-draft-q8_0.gguf", "--prompt", PROMPT, "--temperature", "0"]
    command += ["--lookahead", "3", "--fixed-shape", "8", "--threads", "1", "--max-tokens", "60"]
    command += ["--gpu-layers", layers]
    for _ in range(MOST_CRASHES):
        done = run(command, variables, crash="SIGSEGV")
        if done.returncode == 0:
            return dict(json.loads(done.stdout))
        print("the driver crashed, and the engine with it, which was told; again")
    raise SmokeError(f"crashed {MOST_CRASHES} times: {done.stderr}")


def run(command: list[Path | str], variables: dict[str, str], crash: str = "-") -> subprocess.CompletedProcess[str]:
    """Run a program of the bundle to its end; one that fails, but for saying that it was `crash`, is a `SmokeError`."""
    environment = {**os.environ, **variables}
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode and crash not in done.stderr:
        raise SmokeError(f"{command[1]}: code {done.returncode}, {done.stdout}{done.stderr}")
    return done


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
