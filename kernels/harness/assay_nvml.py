"""State of an NVIDIA device through its management library: clocks, power, temperature, what holds the clock down.

    from assay_nvml import Nvml

    state = Nvml.of_torch(torch.cuda)     # the device that torch measures on
    state.clock_mhz()                     # SM clock now, or None
    state.conditions()                    # all fields of a `conditions` answer, without those that are not known
    state.problem                         # why nothing is known, or ""

`libnvidia-ml.so.1` comes with the driver and is loaded with ctypes: nothing has to be installed. Where it is absent, or
a device does not tell something, the field is absent; nothing is ever guessed. The library does not use the device.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional

LIBRARY = "libnvidia-ml.so.1"
SM, MEMORY = 1, 2  # nvmlClockType_t
CORE = 0  # nvmlTemperatureSensors_t
OK, INSUFFICIENT_SIZE = 0, 7  # nvmlReturn_t
NOT_AVAILABLE = (1 << 64) - 1

# Bits of nvmlClocksEventReasons in the words of the protocol.
REASONS = ((0x1, "idle"), (0x2, "clock-setting"), (0x4, "power-cap"), (0x8, "hardware-slowdown"), (0x10, "sync-boost"),
           (0x20, "software-thermal"), (0x40, "hardware-thermal"), (0x80, "power-brake"), (0x100, "display-clock"))


class Process(ctypes.Structure):
    """nvmlProcessInfo_t, version 2 and later."""

    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint),
                ("compute_instance", ctypes.c_uint)]


def reasons(mask: int) -> List[str]:
    """What a mask of reasons says, by name; bits without a name are `unnamed`."""
    names = [name for bit, name in REASONS if mask & bit]
    if mask & ~sum(bit for bit, _ in REASONS):
        names.append("unnamed")
    return names


class Nvml:
    """One device, found by its UUID (`GPU-…`) or its address on the bus; never by a number, which tools count differently."""

    def __init__(self, uuid: str = "", bus: str = "", library: Optional[Any] = None) -> None:
        self.problem = ""
        self._device: Optional[ctypes.c_void_p] = None
        self._reasons = ""
        try:
            self._library = library if library is not None else ctypes.CDLL(LIBRARY)
        except OSError as e:
            self.problem = f"clocks and power of the device are not known: {e}"
            return
        code = self._call("nvmlInit_v2")
        handle = ctypes.c_void_p()
        if code == OK and uuid:
            code = self._call("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(handle))
        elif code == OK:
            code = self._call("nvmlDeviceGetHandleByPciBusId_v2", bus.encode(), ctypes.byref(handle))
        if code != OK:
            self.problem = f"clocks and power of the device are not known: {LIBRARY} says {self._words(code)}"
            return
        self._device = handle
        # The older name of the same question, for drivers before 535.
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            if hasattr(self._library, name):
                self._reasons = name
                break

    @classmethod
    def of_torch(cls, cuda: Any, library: Optional[Any] = None) -> "Nvml":
        """The device that torch works on now."""
        p = cuda.get_device_properties(cuda.current_device())
        uuid = str(getattr(p, "uuid", "") or "")
        if uuid:
            return cls(uuid=uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}", library=library)
        parts = [getattr(p, name, None) for name in ("pci_domain_id", "pci_bus_id", "pci_device_id")]
        if None in parts:
            unknown = cls.__new__(cls)
            unknown.problem, unknown._device = "clocks and power of the device are not known: torch does not say which it is", None
            return unknown
        return cls(bus="{:08x}:{:02x}:{:02x}.0".format(*parts), library=library)

    def clock_mhz(self) -> Optional[float]:
        """The SM clock at this moment in MHz: right after a leg it is that of the leg, since a clock falls in milliseconds."""
        return self._clock(SM)

    def conditions(self) -> Dict[str, Any]:
        """The fields of a `conditions` answer, without those that are not known; empty where nothing is."""
        if self._device is None:
            return {}
        milliwatts = self._number("nvmlDeviceGetPowerUsage", ctypes.c_uint)
        limit = self._number("nvmlDeviceGetEnforcedPowerLimit", ctypes.c_uint)
        celsius = ctypes.c_uint()
        warm = self._call("nvmlDeviceGetTemperature", self._device, CORE, ctypes.byref(celsius)) == OK
        mask = self._number(self._reasons, ctypes.c_ulonglong) if self._reasons else None
        fields = {
            "sm_mhz": self._clock(SM),
            "mem_mhz": self._clock(MEMORY),
            "power_w": None if milliwatts is None else milliwatts / 1e3,
            "power_cap_w": None if limit is None else limit / 1e3,
            "celsius": float(celsius.value) if warm else None,
            "reasons": None if mask is None else reasons(mask),
        }
        known = {name: value for name, value in fields.items() if value is not None}
        return {**known, "source": "nvml"} if known else {}

    def others(self) -> Optional[List[Dict[str, Any]]]:
        """Other processes that compute on the device, with the memory they hold; None where that is not told.

        In a container the numbers are those of the host, so that our own process may stand among them. It costs
        milliseconds: ask for it outside of all blocks.
        """
        if self._device is None:
            return None
        room = 16
        while room <= 4096:
            count, rows = ctypes.c_uint(room), (Process * room)()
            code = self._call("nvmlDeviceGetComputeRunningProcesses_v3", self._device, ctypes.byref(count), rows)
            if code == OK:
                return [self._other(row) for row in rows[:min(count.value, room)] if row.pid != os.getpid()]
            if code != INSUFFICIENT_SIZE:
                return None
            room *= 4
        return None

    @staticmethod
    def _other(row: Process) -> Dict[str, Any]:
        known = row.used != NOT_AVAILABLE
        return {"pid": row.pid, **({"memory_mib": row.used / (1 << 20)} if known else {})}

    def _clock(self, which: int) -> Optional[float]:
        mhz = ctypes.c_uint()
        if self._device is None or self._call("nvmlDeviceGetClockInfo", self._device, which, ctypes.byref(mhz)) != OK:
            return None
        return float(mhz.value) if mhz.value > 0 else None

    def _number(self, name: str, kind: Any) -> Optional[int]:
        value = kind()
        return int(value.value) if self._call(name, self._device, ctypes.byref(value)) == OK else None

    def _call(self, name: str, *arguments: Any) -> int:
        function = getattr(self._library, name, None)
        return -1 if function is None else int(function(*arguments))

    def _words(self, code: int) -> str:
        if code == -1:
            return "that it lacks a function"
        try:
            say = self._library.nvmlErrorString
            say.restype = ctypes.c_char_p
            return say(code).decode("ascii", "replace")
        except (AttributeError, ctypes.ArgumentError):
            return f"error {code}"
