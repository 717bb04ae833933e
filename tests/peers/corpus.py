"""What the MSL front end makes of the Metal texts of public projects: files read, kernels in them, and what is left.

usage: corpus.py FOLDER [FAMILY]...

FOLDER holds checkouts, each in a folder named OWNER+NAME (git clone https://github.com/OWNER/NAME FOLDER/OWNER+NAME). A family whose
checkout is not there is passed over. The command is what INGOT_COMMAND names, or the build folder's. docs/public-kernels.md has the table of
one such run, and what was run and compared besides.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

COMMAND = os.environ.get("INGOT_COMMAND", str(Path(__file__).resolve().parents[2] / "build" / "ingot"))


class Family(NamedTuple):
    """Texts of one project that are read alike."""

    repository: str
    files: str  # a glob in the checkout
    include: Tuple[str, ...] = ()  # folders in the checkout where headers are looked for
    defines: Dict[str, str] = {}
    before: Tuple[str, ...] = ()  # texts that the project's host code puts before each one


MNN = "source/backend/metal/shader/"
FAMILIES = {
    "ggml": Family("ggml-org+ggml", "src/ggml-metal/*.metal", ("src/ggml-metal", "src", "include"), {"GGML_METAL_HAS_BF16": "1"}),
    "whisper": Family("ggml-org+whisper.cpp", "ggml/src/ggml-metal/*.metal", ("ggml/src/ggml-metal", "ggml/src", "ggml/include"),
                      {"GGML_METAL_HAS_BF16": "1"}),
    "mlx": Family("ml-explore+mlx", "mlx/backend/metal/kernels/**/*.metal", (".",)),
    "candle": Family("huggingface+candle", "candle-metal-kernels/src/metal_src/*.metal", ("candle-metal-kernels/src/metal_src",)),
    "mistral.rs": Family("EricLBuehler+mistral.rs", "**/*.metal"),
    "uzu": Family("trymirai+uzu", "crates/backend-uzu/src/backends/metal/kernel/**/*.metal",
                  ("crates/backend-uzu/src/backends/metal/kernel", "crates/backend-uzu/src/backends/metal",
                   "crates/backend-uzu/src/backends/metal/kernel/generated", "crates/backend-uzu/src")),
    "spirv-cross": Family("KhronosGroup+SPIRV-Cross", "reference/**/*msl*/**/*.comp"),
    "naga": Family("gfx-rs+wgpu", "naga/tests/out/msl/*.msl"),
    "mnn": Family("alibaba+MNN", MNN + "*.metal", (), {"MNN_METAL_FULL_PRECISION": "1"},
                  (MNN + "MetalDefine.metal", MNN + "MetalConvolutionActivation.metal")),
    "tnn": Family("Tencent+TNN", "source/tnn/device/metal/**/*.metal", ("source",), {"TNN_METAL_FULL_PRECISION": "1"}),
    "cycles": Family("blender+cycles", "src/kernel/device/metal/kernel.metal", ("src",)),
}


def read(family: Family, root: Path, path: Path) -> "subprocess.CompletedProcess[str]":
    """Lists the kernels of one text, all of which are lowered for that."""
    options = [o for name, value in family.defines.items() for o in ("-D", f"{name}={value}")]
    options += [o for folder in family.include for o in ("-I", str(root / folder))]
    text = "".join((root / name).read_text("utf-8") for name in family.before) + path.read_text("utf-8") if family.before else None
    file = str(path) if text is None else "-"
    return subprocess.run([COMMAND, "msl", "list", *options, file], input=text, capture_output=True, text=True, check=False)


def files(family: Family, root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.glob(family.files)) if str(path.relative_to(root)) not in family.before)


def count(name: str, family: Family, folder: Path) -> None:
    """Reads the family's texts and prints what became of them."""
    root = folder / family.repository
    if not root.is_dir():
        print(f"{name}: no checkout {root}")
        return
    total, good, kernels, left = 0, 0, 0, []
    for path in files(family, root):
        result = read(family, root, path)
        total += 1
        if result.returncode == 0:
            good += 1
            kernels += sum(line.startswith("kernel ") for line in result.stdout.splitlines())
        else:
            left.append(next((line for line in result.stderr.splitlines() if "error" in line), result.stderr[-200:]))
    print(f"{name}: {good} of {total} files read, {kernels} kernels lowered")
    for line in left:
        print(f"  {line[:200]}")


def main(arguments: List[str]) -> int:
    wrong = [name for name in arguments[1:] if name not in FAMILIES]
    if not arguments or wrong:
        print(__doc__.strip() if not arguments else f"no family {wrong[0]!r}: {', '.join(FAMILIES)}", file=sys.stderr)
        return 2
    for name in arguments[1:] or FAMILIES:
        count(name, FAMILIES[name], Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
