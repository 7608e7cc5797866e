"""Answers from servers that speak the OpenAI protocol: the `Backend` port over HTTP.

backend > exchange > transport      one asyncio thread, deadlines, no redirects
        > answer   > chunks, kinds  what came, as events and figures
survey                              what is at an address
"""
