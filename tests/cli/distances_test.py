"""`skua topo --measure`, and the file it writes."""
import json
import os
import tempfile
import unittest

from tool import ToolTest, main, skua


class Distances(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = os.path.join(cls.folder.name, "distances.txt")
        cls.code, cls.out, cls.err = skua("topo", "--measure", "--output", cls.file)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def needs_a_measurement(self):
        if self.code == 2 and "nothing can be measured" in self.err:
            print(f"[  SKIPPED ] {self.err}")
            raise unittest.SkipTest(self.err)
        self.assertEqual((self.code, self.err), (0, ""), self.out)

    def changed(self, name, before, after):
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(before, text)
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(before, after, 1))
        return path

    def test_measures(self):
        self.needs_a_measurement()
        self.assertRegex(self.out, r"\Ananoseconds to pass a cache line.*\n")
        self.assertRegex(self.out, r"\n\d+ pairs? at \S+ ns \(\S+ to \S+\)\n")
        self.assertRegex(self.out, r"distances agree with hwloc|hwloc puts ")
        self.assertIn(f"Written to {self.file};", self.out)

    def test_json(self):
        self.needs_a_measurement()
        out = json.loads(self.succeed("topo", "--measure", "--json"))
        cores = len(out["cores"])
        self.assertGreaterEqual(cores, 2)
        for key in ("nanoseconds", "min_nanoseconds"):
            self.assertEqual([len(row) for row in out[key]], [cores] * cores)
        for a in range(cores):
            self.assertEqual(out["nanoseconds"][a][a], 0)
            for b in range(a):
                self.assertEqual(out["nanoseconds"][a][b], out["nanoseconds"][b][a])
                self.assertGreaterEqual(out["nanoseconds"][a][b], out["min_nanoseconds"][a][b])
                self.assertGreater(out["min_nanoseconds"][a][b], 0)
        self.assertEqual(out["version"], 1)

    def test_the_file_orders_victims(self):
        self.needs_a_measurement()
        workers = str(len(json.loads(self.succeed("topo", "--measure", "--json"))["cores"]))
        for arguments, environment in ((["--distances", self.file], {}), ([], {"SKUA_DISTANCES": self.file})):
            topo = json.loads(self.succeed("topo", "--json", "--workers", workers, *arguments, **environment))
            names = [level["name"] for level in topo["levels"]]
            self.assertTrue(names)
            for name in names:
                self.assertRegex(name, r", \S+ ns\Z")
            run = json.loads(self.succeed("run", "fib", "--json", "--repeat", "1", "--workers", workers, *arguments,
                                          **environment))
            self.assertEqual(list(run["counters"]["steals_by_distance"]), names)
            self.assertIs(run["verified"], True)
        self.assertIn("distances measured in ", self.succeed("topo", "--distances", self.file))

    def test_other_machines_are_refused(self):
        self.needs_a_measurement()
        other = self.changed("other.txt", "processor", "processor Other")
        for command in (["topo"], ["run", "fib"]):
            self.refuse(*command, "--distances", other, naming=[other, "another machine", "'Other"])
            self.refuse(*command, naming=["SKUA_DISTANCES", other, "another machine"], SKUA_DISTANCES=other)
            self.refuse(*command, "--distances", self.file, "--topology", "package:64 core:64 pu:1",
                        naming=["another machine"])

    def test_damaged_files_are_refused(self):
        self.needs_a_measurement()
        damaged = self.changed("damaged.txt", "nanoseconds", "milliseconds")
        for command in (["topo"], ["run", "fib"]):
            self.refuse(*command, "--distances", damaged, naming=[damaged, "'milliseconds'", "expected:"])
            for file in ("/no/such/file", "/"):
                self.refuse(*command, "--distances", file, naming=[f"'{file}'", "cannot be read"])

    def test_only_the_host_can_be_measured(self):
        self.refuse("topo", "--measure", "--topology", "core:4 pu:1", naming=["'core:4 pu:1'", "allowed: host"])
        self.refuse("topo", "--measure", naming=["core:4", "allowed: host"], SKUA_TOPOLOGY="core:4 pu:1")

    def test_options(self):
        self.refuse("topo", "--output", "x", naming=["--output", "--measure"])
        self.refuse("topo", "--measure", "--distances", "x", naming=["--distances", "--measure"])
        wrong = os.path.join(self.folder.name, "none", "file")
        self.refuse("topo", "--measure", "--output", wrong, naming=[wrong, "cannot be written"])
        self.assertFalse(os.path.exists(wrong))

    def test_one_core_is_no_pair(self):
        if not hasattr(os, "sched_setaffinity"):
            self.skipTest("no sched_setaffinity")
        all_cpus = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(all_cpus)})
        try:
            self.refuse("topo", "--measure", naming=["nothing can be measured", "one core"])
        finally:
            os.sched_setaffinity(0, all_cpus)


main()
