"""The CPUs of a process whose OpenMP runtime binds its first thread (OMP_PROC_BIND)."""
import contextlib
import ctypes
import json
import os
import unittest

from tool import ToolTest, main, skua

for name in [name for name in os.environ if name.startswith(("OMP_", "GOMP_"))]:
    del os.environ[name]
CPUS = sorted(os.sched_getaffinity(0))


def can_load(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


LIBGOMP = {"LD_PRELOAD": "libgomp.so.1"}  # as if the program were linked with it
needs_libgomp = unittest.skipUnless(can_load("libgomp.so.1"), "libgomp.so.1 is not installed")


@contextlib.contextmanager
def taskset(cpus):
    """Like the command taskset: processes that start meanwhile may use only these CPUs."""
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, CPUS)


@unittest.skipIf(len(CPUS) < 2, "this process may use one CPU only")
class OpenMP(ToolTest):
    def machine(self, **environment):
        """The number of CPUs that skua sees, and its warnings."""
        code, out, err = skua("topo", "--json", **environment)
        self.assertEqual(code, 0, err)
        machine = json.loads(out)
        return machine["pus"], machine["warnings"]

    @needs_libgomp
    def test_libgomp_does_not_hide_the_cpus_of_the_process(self):
        whole_machine = len(CPUS) == os.cpu_count()  # otherwise no variable names the CPUs outside of the place
        for binding in ({"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "close"}, {"OMP_PLACES": "threads"},
                        {"GOMP_CPU_AFFINITY": "0-1000"}, {"OMP_PROC_BIND": "FALSE"}, {},
                        *([{"OMP_PLACES": f"{{{CPUS[0]}}}"}] if whole_machine else [])):
            self.assertEqual(self.machine(**LIBGOMP, **binding), (len(CPUS), []), binding)

    @needs_libgomp
    def test_workers_use_them(self):
        code, out, err = skua("run", "fib", "--workers", "2", "--repeat", "1", "--json", "n=20", **LIBGOMP,
                              OMP_PROC_BIND="true", SKUA_BIND="1")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["cpus_of_workers"], CPUS[:2])

    @needs_libgomp
    def test_one_cpu_stays_one_cpu(self):
        with taskset(CPUS[1:2]):
            self.assertEqual(self.machine(**LIBGOMP, OMP_PROC_BIND="true"), (1, []))
            self.assertEqual(self.machine(**LIBGOMP, GOMP_CPU_AFFINITY="0-1000"), (1, []))
            self.assertEqual(self.machine(**LIBGOMP), (1, []))
            self.assertEqual(self.machine(), (1, []))

    def test_one_line_names_the_variable_if_no_runtime_tells_the_cpus(self):
        with taskset(CPUS[1:2]):
            for variable in ("OMP_PROC_BIND", "OMP_PLACES"):
                pus, warnings = self.machine(**{variable: "cores"})
                self.assertEqual((pus, len(warnings)), (1, 1))
                self.assertIn(f"{variable} is 'cores'", warnings[0])
            code, _, err = skua("run", "fib", "--repeat", "1", "n=20", OMP_PROC_BIND="true")
            self.assertEqual(code, 0, err)
            self.assertRegex(err, rf"\Askua: the process may run on CPU {CPUS[1]} only; OMP_PROC_BIND is 'true'.*\n\Z")
            self.assertEqual(self.machine(OMP_PROC_BIND="false"), (1, []))
        self.assertEqual(self.machine(OMP_PROC_BIND="true"), (len(CPUS), []))


main()
