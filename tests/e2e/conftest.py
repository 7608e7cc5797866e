from tests.helpers.engine_fixtures import process, shared_process
from tests.helpers.hybrid_fixtures import tiny

__all__ = ["process", "shared_process", "tiny"]
