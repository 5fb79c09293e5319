"""Clocks and power through the management library, with a stand-in for it; on a real device where there is one."""

import ctypes
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import assay_nvml  # noqa: E402
from assay_nvml import Nvml  # noqa: E402

try:
    import torch
    TORCH = torch.cuda.is_available()
except ImportError:
    TORCH = False


class StandIn:
    """A stand-in for libnvidia-ml: it answers as its documentation says, and refuses what is in `refused`."""

    def __init__(self, refused=(), mask=0x4, sm=1755):
        self.refused, self.mask, self.sm, self.asked = set(refused), mask, sm, []

    def __getattr__(self, name):
        if not name.startswith("nvml") or name in self.refused:
            raise AttributeError(name)
        return lambda *arguments: self.answer(name, *arguments)

    def answer(self, name, *arguments):
        self.asked.append((name, arguments[0] if arguments else None))
        to = arguments[-1]._obj if arguments and hasattr(arguments[-1], "_obj") else None
        if name == "nvmlInit_v2":
            return 0
        if name.startswith("nvmlDeviceGetHandle"):
            to.value = 7
            return 0 if arguments[0] in (b"GPU-1234", b"00000000:3b:00.0") else 6
        if name == "nvmlDeviceGetClockInfo":
            to.value = {1: self.sm, 2: 3201}[arguments[1]]
            return 0
        if name in ("nvmlDeviceGetPowerUsage", "nvmlDeviceGetEnforcedPowerLimit"):
            to.value = 698_250 if name.endswith("Usage") else 700_000
            return 0
        if name == "nvmlDeviceGetTemperature":
            to.value = 61
            return 3  # not supported
        if name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            to.value = self.mask
            return 0
        if name == "nvmlDeviceGetComputeRunningProcesses_v3":
            room, count = arguments[1]._obj.value, arguments[1]._obj
            count.value = 20
            if room < 20:
                return 7
            for i in range(20):
                arguments[2][i].pid = os.getpid() + i
                arguments[2][i].used = assay_nvml.NOT_AVAILABLE if i == 1 else i << 20
            return 0
        raise AssertionError(name)


OLD = ["nvmlDeviceGetCurrentClocksEventReasons"]


class State(unittest.TestCase):
    def test_what_is_told_has_its_names_and_what_is_not_is_absent(self):
        state = Nvml(uuid="GPU-1234", library=StandIn(refused=OLD))
        self.assertEqual(state.problem, "")
        self.assertEqual(state.clock_mhz(), 1755.0)
        self.assertEqual(state.conditions(), {"sm_mhz": 1755.0, "mem_mhz": 3201.0, "power_w": 698.25, "power_cap_w": 700.0,
                                              "reasons": ["power-cap"], "source": "nvml"})

    def test_no_reason_is_not_the_same_as_no_answer(self):
        none = Nvml(uuid="GPU-1234", library=StandIn(refused=OLD, mask=0))
        self.assertEqual(none.conditions()["reasons"], [])
        old = Nvml(uuid="GPU-1234", library=StandIn(refused=OLD + ["nvmlDeviceGetCurrentClocksThrottleReasons"]))
        self.assertNotIn("reasons", old.conditions())

    def test_bits_have_the_names_of_the_protocol(self):
        self.assertEqual(assay_nvml.reasons(0x24), ["power-cap", "software-thermal"])
        self.assertEqual(assay_nvml.reasons(0x1 | 1 << 40), ["idle", "unnamed"])

    def test_a_clock_of_nothing_is_no_clock(self):
        state = Nvml(uuid="GPU-1234", library=StandIn(sm=0))
        self.assertIsNone(state.clock_mhz())
        self.assertNotIn("sm_mhz", state.conditions())

    def test_another_device_and_an_absent_library_are_told_and_answer_nothing(self):
        library = StandIn(refused=["nvmlErrorString"])
        state = Nvml(uuid="GPU-9999", library=library)
        self.assertIn("error 6", state.problem)
        self.assertEqual((state.clock_mhz(), state.conditions(), state.others()), (None, {}, None))
        before, assay_nvml.LIBRARY = assay_nvml.LIBRARY, "libnot-there.so.1"
        try:
            state = Nvml(uuid="GPU-1234")
        finally:
            assay_nvml.LIBRARY = before
        self.assertIn("libnot-there.so.1", state.problem)
        self.assertEqual((state.clock_mhz(), state.conditions()), (None, {}))

    def test_other_processes_are_all_listed_and_our_own_is_not(self):
        others = Nvml(uuid="GPU-1234", library=StandIn()).others()
        self.assertEqual(len(others), 19)
        self.assertNotIn(os.getpid(), [o["pid"] for o in others])
        self.assertEqual([o.get("memory_mib") for o in others[:2]], [None, 2.0])

    def test_the_device_of_torch_is_found_by_what_torch_tells(self):
        class Properties:
            pass

        class Cuda:
            current_device = staticmethod(lambda: 3)
            get_device_properties = staticmethod(lambda i: Cuda.properties)

        for fields, asked in [({"uuid": "1234"}, b"GPU-1234"), ({"uuid": "GPU-1234"}, b"GPU-1234"),
                              ({"pci_domain_id": 0, "pci_bus_id": 0x3B, "pci_device_id": 0}, b"00000000:3b:00.0")]:
            Cuda.properties = Properties()
            Cuda.properties.__dict__.update(fields)
            library = StandIn()
            self.assertEqual(Nvml.of_torch(Cuda, library).clock_mhz(), 1755.0)
            self.assertIn(asked, [first for _, first in library.asked])
        Cuda.properties = Properties()
        unknown = Nvml.of_torch(Cuda, StandIn())
        self.assertIn("torch does not say", unknown.problem)
        self.assertEqual((unknown.clock_mhz(), unknown.conditions(), unknown.others()), (None, {}, None))


def device():
    """Whether the library and a device are there."""
    try:
        library = ctypes.CDLL(assay_nvml.LIBRARY)
        count = ctypes.c_uint()
        return library.nvmlInit_v2() == 0 and library.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0 and count.value > 0
    except (OSError, AttributeError):
        return False


@unittest.skipUnless(TORCH and device(), "needs torch and a device with its driver")
class Device(unittest.TestCase):
    def test_a_real_device_tells_its_state_and_what_that_costs(self):
        state = Nvml.of_torch(torch.cuda)
        self.assertEqual(state.problem, "")
        known = state.conditions()
        self.assertGreater(known["sm_mhz"], 100)
        self.assertGreater(known["power_w"], 10)
        self.assertIsInstance(known["reasons"], list)
        for name, ask in [("clock", state.clock_mhz), ("conditions", state.conditions), ("others", state.others)]:
            costs = []
            for _ in range(200):
                start = time.perf_counter_ns()
                ask()
                costs.append(time.perf_counter_ns() - start)
            costs.sort()
            print(f"NVML {name}: median {costs[100] / 1e3:.0f} us, slowest of 200 {costs[-1] / 1e3:.0f} us", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
