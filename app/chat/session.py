"""The state machine of one chat with one engine."""

from typing import Literal

Phase = Literal["no_model", "loading", "idle", "prefill", "streaming", "stopping", "engine_down"]
