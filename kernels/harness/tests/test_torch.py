"""The torch helper: its logic with a stand-in device, and known exploits on a real one where there is one."""

import contextlib
import os
import sys
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import assay_torch  # noqa: E402
from assay_guard import Tampered  # noqa: E402
from assay_harness import HarnessError, WrongResult  # noqa: E402

try:
    import torch
    DEVICE = torch.cuda.is_available()
except ImportError:
    DEVICE = False


class StandIn:
    """A device of 1 ms windows whose other streams take `left` more; its clock is the timer's."""

    window_ms = 1.0

    def __init__(self, left):
        self.now, self.left, self.busy = 0, left, 0

    def synchronize(self):
        self.now, self.busy = self.now + self.busy, 0

    def Event(self, enable_timing):
        return self

    def work(self):
        """A launch, part of which goes to another stream."""
        self.busy = self.left


@contextlib.contextmanager
def patched(module, **changes):
    """Other contents of a module for a while."""
    before = {name: getattr(module, name) for name in changes}
    vars(module).update(changes)
    try:
        yield
    finally:
        vars(module).update(before)


class State:
    """A device that tells its clock and nothing else."""

    problem = ""
    clock_mhz = staticmethod(lambda: 1755.0)
    conditions = staticmethod(lambda: {"sm_mhz": 1755.0, "source": "nvml"})


class Timer(unittest.TestCase):
    def timer(self, left):
        device = StandIn(left)
        timer = assay_torch.EventTimer(device, State())
        device.Event = lambda enable_timing: Event(device)
        timer.now = lambda clock: device.now
        return timer

    def test_work_after_the_stop_event_is_counted_and_refused(self):
        timer = self.timer(left=2_000_000)
        self.assertEqual([timer.time(timer.device.work, 1, None) for _ in range(4)], [3e6] * 4)
        with self.assertRaisesRegex(Tampered, "2000 us"):
            timer.check()

    def test_one_of_two_subjects_that_share_a_timer_is_told(self):
        timer = self.timer(left=2_000_000)
        device = timer.device
        for left in (0, 2_000_000, 2_000_000, 0, 0, 2_000_000, 2_000_000, 0):
            device.left = left
            timer.time(device.work, 1, None)
        with self.assertRaises(Tampered):
            timer.check()

    def test_a_device_that_is_done_passes(self):
        timer = self.timer(left=10_000)
        self.assertEqual([timer.time(timer.device.work, 1, None) for _ in range(4)], [1e6] * 4)
        timer.check()

    def test_the_state_of_the_device_comes_with_the_timer_and_its_absence_is_said_once(self):
        timer = self.timer(left=0)
        self.assertEqual((timer.clock_mhz(), timer.conditions()["source"], timer.notes()), (1755.0, "nvml", []))
        self.assertEqual((timer.tick(1), timer.tick(50)), (500, 10))
        timer.state = assay_torch.Nvml(uuid="GPU-0", library=object())
        self.assertEqual((timer.clock_mhz(), timer.conditions()), (None, {}))
        self.assertEqual(len(timer.notes()), 1)

    def test_a_short_launch_on_another_stream_is_seen_where_the_host_is_quick(self):
        timer = self.timer(left=0)
        self.assertEqual(timer.time(timer.device.work, 1, None), 1e6)
        timer.device.left, timer.device.window_ms = 40_000, 0.005
        self.assertEqual([timer.time(timer.device.work, 1, None) for _ in range(4)], [5_000.0] * 4)
        with self.assertRaisesRegex(Tampered, "40 us"):
            timer.check()

    def test_the_device_waits_longer_where_the_host_was_late_with_recorded_launches(self):
        class Graphs(assay_torch.GraphTimer):
            PORTION = 2

            def _recorded(self, launch, launches):
                return unittest.mock.Mock(replay=lambda: replayed.append(launches))

        replayed, device, late = [], StandIn(0), [True, True, False, False]
        device._sleep = held = unittest.mock.Mock()
        timer = Graphs(device, State())
        device.Event = lambda enable_timing: Event(device, late)
        timer.now = lambda clock: device.now
        for _ in range(4):
            timer.time(device.work, 5, None)
        self.assertEqual(replayed, [2, 2, 1] * 4)
        first = timer.HOLD_CYCLES
        asked = [c.args[0] for c in held.call_args_list]
        # What follows the first window finds out what the host takes for a window with nothing in it.
        self.assertEqual((asked[0], set(asked[1:11]), asked[11:]), (first, {2 * first}, [4 * first] * 2))
        self.assertEqual((timer.exposed, timer.notes()), (2, []))
        late.extend([True] * 20)
        for _ in range(20):
            timer.time(device.work, 1, None)
        self.assertEqual(timer.hold_cycles, timer.MOST_HOLD_CYCLES)
        self.assertIn("in 22 of 24 windows", timer.notes()[0])

    def test_tracing_counts_all_streams_and_is_never_replaced_in_silence(self):
        spans = [(0, 100, "a"), (50, 180, "b"), (300, 400, "c")]
        timer = assay_torch.CuptiTimer(StandIn(0), State(), trace=lambda window, device: window() or spans)
        self.assertEqual((timer.time(lambda: None, 3, None), timer.name, timer.tick(4)), (280.0, "cupti_kernel", 8))
        with self.assertRaisesRegex(HarnessError, "3 kernels of 4 launches.*none is taken in its place"):
            timer.time(lambda: None, 4, None)
        with self.assertRaisesRegex(HarnessError, "no timer is called wall"):
            assay_torch.chosen("wall")

    def test_a_timer_that_is_taken_instead_is_in_the_answers(self):
        class Broken(assay_torch.CuptiTimer):
            def __init__(self):
                super().__init__(StandIn(0), State(), trace=lambda window, device: [])

        class Other(assay_torch.GraphTimer):
            def __init__(self):
                super().__init__(StandIn(0), State())

        with patched(assay_torch, CuptiTimer=Broken, GraphTimer=Other, _tried=lambda timer: timer.time(lambda: None, 2)):
            with self.assertRaisesRegex(HarnessError, "0 kernels of 2 launches"):
                assay_torch.chosen("cupti")
            with patched(assay_torch, _tried=lambda timer: isinstance(timer, Broken) and timer.time(lambda: None, 2)):
                timer = assay_torch.chosen("cupti", instead="graph")
        self.assertEqual(timer.name, "device_event_graph")
        self.assertIn("cupti was asked for and does not work here", timer.notes()[0])

    def test_vendor_kernels_are_told_by_name(self):
        names = ["my_gemm_kernel", "nvjet_hsh_128x256", "sm90_xmma_gemm_f32", "void cutlass::Kernel2<x>"]
        self.assertEqual(assay_torch.vendor_kernels(names), names[1:])


class Event:
    def __init__(self, device, late=()):
        self.device, self.late = device, late

    def query(self):
        return self.late.pop(0)

    def record(self):
        pass

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return self.device.window_ms


@unittest.skipUnless(DEVICE, "needs torch and a device")
class Device(unittest.TestCase):
    def setUp(self):
        self.a = torch.randn(4096, 4096, device="cuda")
        self.out = torch.empty_like(self.a)

    def honest(self):
        torch.mm(self.a, self.a, out=self.out)

    def test_timers_agree_on_a_long_kernel_and_differ_on_a_short_one_as_they_say(self):
        self.honest()
        tiny = torch.ones(256, device="cuda")
        found = {}
        for name in ("event", "graph", "cupti"):
            timer = assay_torch.chosen(name)
            long = min(timer.time(self.honest, 4, None) / 4 for _ in range(5))
            short = min(timer.time(lambda: tiny.add_(1), 100, None) / 100 for _ in range(5))
            found[timer.name] = (long, short)
            timer.forget()
        print(f"timers, ns (long, short): {found}", file=sys.stderr)
        longs = [long for long, _ in found.values()]
        self.assertLess(max(longs) / min(longs), 1.1)
        self.assertLess(found["cupti_kernel"][1], found["device_event"][1])

    def test_events_step_by_no_more_than_their_tick(self):
        timer, tiny = assay_torch.EventTimer(), torch.ones(256, device="cuda")
        times = sorted({timer.time(lambda: tiny.add_(1), 1, None) for _ in range(300)})
        steps = [b - a for a, b in zip(times, times[1:])]
        print(f"events: {len(times)} times of 300 differ, least step {min(steps):.0f} ns", file=sys.stderr)
        self.assertLessEqual(min(steps), timer.tick(1) + 1)

    def test_a_flush_is_over_before_the_window(self):
        flush, timer, tiny = assay_torch.Flush(), assay_torch.EventTimer(), torch.ones(256, device="cuda")
        whole = min(timer.time(flush, 1, None) for _ in range(3))
        after = []
        for _ in range(9):
            flush()
            after.append(timer.time(lambda: tiny.add_(1), 1, None))
        print(f"flush: {whole / 1e3:.1f} us, a tiny kernel after it {min(after) / 1e3:.1f} us", file=sys.stderr)
        self.assertLess(min(after), 0.5 * whole)

    def test_e1_a_side_stream_is_told(self):
        stream = torch.cuda.Stream()

        def cheat():
            with torch.cuda.stream(stream):
                self.honest()

        honest, timer = assay_torch.EventTimer(), assay_torch.EventTimer()
        self.honest()
        plain_ns = min(honest.time(self.honest, 4, None) for _ in range(6))
        cheat_ns = min(timer.time(cheat, 4, None) for _ in range(6))
        honest.check()
        with self.assertRaisesRegex(Tampered, "stream"):
            timer.check()
        self.assertGreater(cheat_ns, 0.7 * plain_ns)

    def test_e2_a_lazy_tensor_is_refused(self):
        class Lazy(torch.Tensor):
            pass

        self.assertEqual(assay_torch.plain(self.a).shape, self.a.shape)
        with self.assertRaisesRegex(WrongResult, "Lazy"):
            assay_torch.plain(self.a.as_subclass(Lazy))

    def test_e13_a_flush_makes_a_hot_read_cold(self):
        small = torch.randn(2 << 20, device="cuda")
        flush, timer = assay_torch.Flush(), assay_torch.EventTimer()
        target = torch.empty_like(small)

        def read():
            torch.add(small, 1.0, out=target)

        hot = min(timer.time(read, 50, None) / 50 for _ in range(5))
        cold = []
        for _ in range(9):
            flush()
            cold.append(timer.time(read, 1, None))
        print(f"E13: hot {hot / 1e3:.1f} us, after the flush {min(cold) / 1e3:.1f} us, reset {flush.reset is not None}", file=sys.stderr)
        self.assertGreater(min(cold), hot)

    def test_e14_library_kernels_are_named(self):
        mine = assay_torch.kernel_names(lambda: torch.add(self.a, 1.0, out=self.out))
        library = assay_torch.kernel_names(self.honest)
        print(f"E14: {mine} {library}", file=sys.stderr)
        self.assertEqual(assay_torch.vendor_kernels(mine), [])
        self.assertTrue(assay_torch.vendor_kernels(library))

    def test_e23_a_graph_with_old_pointers_gives_the_old_result(self):
        x = torch.randn(1024, device="cuda")
        out = torch.empty_like(x)
        torch.add(x, 1.0, out=out)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            torch.add(x, 1.0, out=out)
        keep = [x]
        new = assay_torch.elsewhere(x, lambda t: t.normal_(), keep)
        out.fill_(float("nan"))
        graph.replay()
        got = assay_torch.plain(out)
        self.assertFalse(torch.equal(got, (new + 1.0).cpu()))
        torch.add(new, 1.0, out=out)
        self.assertTrue(torch.equal(assay_torch.plain(out), (new + 1.0).cpu()))


if __name__ == "__main__":
    unittest.main()
