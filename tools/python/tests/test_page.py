# SPDX-License-Identifier: MIT
"""The examples of docs/python.md do what the page shows."""

import doctest
import os
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/python.md"


class Page(unittest.TestCase):
    def test_examples(self):
        """In a folder with the files that the page names."""
        text = PAGE.read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        runner = doctest.DocTestRunner(
            optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
        test = doctest.DocTestParser().get_doctest(
            "\n".join(blocks), {}, "docs/python.md", str(PAGE), 0)
        self.assertGreater(len(test.examples), 20)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            for file in [ROOT / "testdata",
                         *(ROOT / "testdata/graphs").iterdir()]:
                pathlib.Path(folder, file.name).symlink_to(file)
            os.chdir(folder)
            try:
                said = []
                result = runner.run(test, out=said.append)
                self.assertTrue(os.path.exists("planned.tflite"))
            finally:
                os.chdir(before)
        self.assertEqual(result.failed, 0, "".join(said))


if __name__ == "__main__":
    unittest.main()
