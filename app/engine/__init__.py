"""All inference. Imports without Qt; runs in the engine process."""
