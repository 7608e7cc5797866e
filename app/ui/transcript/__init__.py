"""The conversation area: messages as rendered Markdown, growing while the model speaks."""

from app.ui.transcript.view import TranscriptView

__all__ = ["TranscriptView"]
