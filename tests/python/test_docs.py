"""The examples of the pages, each page run as one file."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


class Pages(unittest.TestCase):
    def run_page(self, name):
        """Its examples and what they printed."""
        blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "page.py"
            file.write_text("\n".join(blocks), encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(file)], cwd=folder, env=dict(os.environ), capture_output=True,
                                  text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return blocks, done

    def test_tutorial(self):
        """Its files are written and its commands run, each of which must succeed."""
        page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```(python|sh)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder) / "tools"
            tools.mkdir()
            (tools / "python").symlink_to(sys.executable)
            (tools / "ingot").symlink_to(Path(os.environ["INGOT_LIBRARY"]).resolve().with_name("ingot"))
            environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
            for kind, text in blocks:
                if kind == "python":
                    (Path(folder) / text.split()[2]).write_text(text, encoding="utf-8")
                    continue
                done = subprocess.run(["sh", "-e", "-c", text], cwd=folder, env=environment, capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 0, f"{text}{done.stdout}{done.stderr}")
                if "pytest" in text:
                    self.assertIn("5 passed", done.stdout)
            # What the page says of the condition is so.
            script = (Path(folder) / "saxpy.py").read_text().replace("if bx * 64 + tx < n", "if True")
            (Path(folder) / "saxpy.py").write_text(script)
            done = subprocess.run([str(tools / "python"), "-m", "pytest", "-q", "-p", "ingot.pytest_plugin", "test_saxpy.py"],
                                  cwd=folder, env=environment, capture_output=True, text=True, check=False)
            self.assertIn("3 failed, 2 passed", done.stdout)
            self.assertIn("^", done.stdout)

    def test_pytorch_and_mlx(self):
        blocks, _ = self.run_page("pytorch-mlx.md")
        self.assertEqual(len(blocks), 1)

    def test_python(self):
        blocks, done = self.run_page("python.md")
        self.assertGreaterEqual(len(blocks), 7)
        line = "\n".join(blocks).splitlines().index("            A[tx, 0] = T.float32(1)") + 1
        self.assertIn(f"page.py {line} 13 'A' has 1 dimension, indexed with 2\n", done.stdout)
        self.assertIn("[1. 2. 3. 4.]\n", done.stdout)
        self.assertIn("kernel void main_kernel(", done.stdout)


if __name__ == "__main__":
    unittest.main()
