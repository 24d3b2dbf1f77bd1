#!/usr/bin/env python3
"""The layering check against made-up trees: each planted violation is named, a clean tree is not accused."""

import tempfile
import unittest
from pathlib import Path

from check_layering import check


class LayeringCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/model/result.hpp", "#include <tl/expected.hpp>\n")

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect(self, *expected: str) -> None:
        self.assertEqual([str(violation) for violation in check(self.root)], list(expected))

    def test_a_clean_tree_has_no_violations(self):
        self.write("src/mad/engine.cpp", '#include "mad/engine.hpp"\n#include "model/ids.hpp"\n#include <poll.h>\n')
        self.write("src/model/ids.hpp", "// the daemon calls steady_clock::now()\n#include <vector>\n")
        self.write("src/daemon/http.cpp", "#include <boost/beast/http.hpp>\n#include <thread>\n")
        self.write("src/daemon/http.hpp", "#include <boost/beast/core.hpp>\n")
        self.expect()

    def test_an_include_against_the_arrows_is_named_with_its_line(self):
        self.write("src/model/fabric.hpp", '#pragma once\n#include "mad/smp.hpp"\n')
        self.expect("src/model/fabric.hpp:2: model may not include mad: mad/smp.hpp")

    def test_a_room_that_nobody_listed_is_refused(self):
        self.write("src/attic/old.cpp", "int x;\n")
        self.expect("src/attic/old.cpp:1: room 'attic' is not in the table of arrows")

    def test_the_command_line_may_not_reach_into_the_daemon(self):
        self.write("src/cli/status.cpp", '#include "daemon/config.hpp"\n')
        self.expect("src/cli/status.cpp:1: cli may not include daemon: daemon/config.hpp")

    def test_a_library_that_a_room_may_not_use_is_named(self):
        self.write("src/model/log.cpp", "#include <spdlog/spdlog.h>\n")
        self.expect("src/model/log.cpp:1: model may not use the library header <spdlog/spdlog.h>")

    def test_a_pure_room_may_not_start_threads_or_read_clocks(self):
        self.write("src/simulation/run.cpp", "#include <thread>\nauto t = std::chrono::steady_clock::now();\n")
        self.expect(
            "src/simulation/run.cpp:1: simulation is pure and may not include <thread>",
            "src/simulation/run.cpp:2: simulation is pure but reads a clock",
        )

    def test_a_second_file_with_beast_in_one_program_is_named(self):
        self.write("src/daemon/a.cpp", "#include <boost/beast/core.hpp>\n")
        self.write("src/daemon/b.cpp", "#include <boost/beast/http.hpp>\n")
        self.expect("src/daemon/b.cpp:1: daemon includes Beast in src/daemon/a.cpp already; one file pays for it")

    def test_only_result_hpp_includes_the_expected_library(self):
        self.write("src/model/other.hpp", "#include <tl/expected.hpp>\n")
        self.expect("src/model/other.hpp:1: only src/model/result.hpp includes <tl/expected.hpp>")

    def test_using_namespace_is_named(self):
        self.write("src/cli/main.cpp", "using namespace std;\n")
        self.expect("src/cli/main.cpp:1: using namespace outside a test")

    def test_a_plugin_may_not_include_the_exporter(self):
        self.write("plugins/opensm/bridge.cpp", '#include "exporter/view.hpp"\n#include "plugins/abi/record.hpp"\n')
        self.expect("plugins/opensm/bridge.cpp:1: plugins/opensm may not include exporter: exporter/view.hpp")

    def test_an_empty_tree_is_not_a_pass(self):
        self.root = self.root / "nowhere"
        self.assertEqual(len(check(self.root)), 1)


if __name__ == "__main__":
    unittest.main()
