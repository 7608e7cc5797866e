"""What the native library says about itself, printed as one JSON line: a child of the doctor, which may crash."""

import json
import sys

from app.engine.backends.llamacpp import devices, versions


def main() -> int:
    """Load the library and print what `doctor_children.EngineFacts` holds."""
    version, build, features = versions()
    found = [[device.name, device.description, device.free, device.total] for device in devices()]
    facts = {"version": version, "build": build, "features": features, "devices": found}
    sys.stdout.write(json.dumps(facts) + "\n")
    return 0
