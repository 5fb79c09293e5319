"""Stand-in for MetaX's build of torch, for tests only: see ../../README.md. It computes nothing."""
__version__ = "2.8.0+metax3.7.1.3"


class cuda:
    """What the runtime of MetaX calls its device, too."""

    @staticmethod
    def is_available():
        return True
