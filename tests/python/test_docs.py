"""The examples of docs/python.md, run as one file."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_examples(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 5)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "page.py"
            file.write_text("\n".join(blocks), encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(file)], cwd=folder, env=dict(os.environ), capture_output=True,
                                  text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        line = "\n".join(blocks).splitlines().index("            A[tx, 0] = T.float32(1)") + 1
        self.assertIn(f"page.py {line} 13 'A' has 1 dimension, indexed with 2\n", done.stdout)
        self.assertIn("[1. 2. 3. 4.]\n", done.stdout)
        self.assertIn("kernel void main_kernel(", done.stdout)


if __name__ == "__main__":
    unittest.main()
