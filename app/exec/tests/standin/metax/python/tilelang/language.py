"""Stand-in, for tests only: every name is there and does nothing; programs are kept and never run."""


class Anything:
    def __getattr__(self, name):
        return Anything()

    def __call__(self, *_, **__):
        return Anything()


def prim_func(f):
    return f


def macro(f):
    return f


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
