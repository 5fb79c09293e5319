"""Runs an evaluator the way the runner does: subjects, plan, a pipe of its own and a nonce."""

import importlib.util
import json
import os
import subprocess
import sys

NONCE = "00c0ffee"


def plan(**changes):
    """A plan for a quick run; `changes` override its keys."""
    base = {
        "assay": 1, "stage": "bench", "mode": "pair",
        "workloads": [{"name": "small", "dtype": "f32", "dims": {"M": 3}, "flops": 20000, "bytes": None}],
        "blocks": 2, "order": ["ABBA", "BAAB"], "load_order": "BA", "seed": 2**64 - 1, "inputs": "fresh",
        "min_leg_ns": 200_000, "warmup_ns": 100_000, "cache": "hot", "process": 3, "a_later_key": {"x": [1, None]},
    }
    base.update(changes)
    return base


def subjects(*names):
    """Subjects with ids `A-…`, `B-…`; their artefacts do not exist."""
    return [{"id": f"{'AB'[i]}-{name}", "role": "variant", "folder": "/nowhere", "artefact": f"/nowhere/{name}.so",
             "source": "/nowhere"} for i, name in enumerate(names)]


def paths(campaign):
    """Puts the folders of a campaign and of what it shares where modules are looked for; gives the folder of all kernels."""
    kernels = os.path.dirname(campaign)
    harness = os.path.join(kernels, "harness")
    sys.path[:0] = [os.path.join(campaign, "harness"), os.path.join(campaign, "kernel"), harness, os.path.join(harness, "tests"),
                    os.path.join(kernels, "lower")]
    return kernels


def missing(*names):
    """The reason to skip, or an empty text: which of these is not here; `device` is a device of torch."""
    for name in names:
        if name == "device":
            import torch

            if not torch.cuda.is_available():
                return "needs a device that torch can use"
        elif importlib.util.find_spec(name) is None:
            return f"needs {name}, which is not installed here"
    return ""


def made_up(folder, kernels, source):
    """What a build of TileLang kernels would leave, with libraries of a few bytes: the stand-in device never opens them."""
    os.makedirs(folder)
    with open(os.path.join(folder, "kernels.so"), "w", encoding="utf-8") as artefact:
        for kernel in kernels:
            with open(os.path.join(folder, kernel["library"]), "w", encoding="utf-8") as f:
                f.write(kernel["symbol"])
            artefact.write(kernel["symbol"] + "\n")
    with open(os.path.join(folder, "kernels.json"), "w", encoding="utf-8") as f:
        json.dump({"kernels": kernels}, f)
    return {"role": "variant", "folder": folder, "artefact": os.path.join(folder, "kernels.so"), "source": source}


def standin(campaign, the_plan, the_subjects, requests=None):
    """Runs the evaluator of a campaign with a stand-in for the device and the kernels of its tests/host_kernels.py."""
    here = os.path.dirname(os.path.abspath(__file__))
    command = [sys.executable, os.path.join(here, "standin.py"), os.path.join(campaign, "harness", "evaluate.py"),
               os.path.join(campaign, "tests", "host_kernels.py")]
    return run(command, the_plan, the_subjects, requests=requests)


class Result:
    """What a run left behind."""

    def __init__(self, code, answers, out, err):
        self.code, self.answers, self.out, self.err = code, answers, out, err

    def kind(self, kind):
        """The answers of one kind."""
        return [a for a in self.answers if a["kind"] == kind]


def no_constants(text):
    raise AssertionError(f"{text} is not JSON")


def run(command, the_plan, the_subjects, requests=None, environ=None):
    """Runs `command` and reads its answers; `requests` are the lines of mode `resident`."""
    read, write = os.pipe()
    env = dict(os.environ)
    env.update(ASSAY_PLAN=the_plan if isinstance(the_plan, str) else json.dumps(the_plan),
               ASSAY_SUBJECTS=json.dumps(the_subjects), ASSAY_FD=str(write), ASSAY_NONCE=NONCE)
    passed = [write]
    if requests is not None:
        request_read, request_write = os.pipe()
        os.write(request_write, "".join(json.dumps(r) + "\n" for r in requests).encode())
        os.close(request_write)
        env["ASSAY_REQ_FD"] = str(request_read)
        passed.append(request_read)
    for name, value in (environ or {}).items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    process = subprocess.Popen(command, env=env, pass_fds=passed, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    for fd in passed:
        os.close(fd)
    # The answers of these small runs fit the pipe, so reading after the end cannot block the writer.
    out, err = process.communicate(timeout=60)
    with os.fdopen(read) as pipe:
        lines = pipe.read().splitlines()
    answers = [json.loads(line, parse_constant=no_constants) for line in lines]
    for answer in answers:
        assert answer["assay"] == 1 and answer["nonce"] == NONCE, answer
    return Result(process.returncode, answers, out, err)
