from tests.helpers.engine_fixtures import process, shared_process

__all__ = ["process", "shared_process"]
