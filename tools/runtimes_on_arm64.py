"""Run `benchmarks.runtimes` on arm64 under qemu-user: `sudo python3 -m tools.runtimes_on_arm64`.

It shows whether onnxruntime, OpenVINO and ncnn read the same cards there; times under emulation say nothing. It needs
what `tools/release_chroots.py` needs. The packages are downloaded for arm64 by this machine's pip.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Final

from tools.release_chroots import SUITES, call, options, reported, step, system, unpacked

HERE: Final = Path(__file__).parents[1]
SUITE: Final = SUITES["trixie"]
PACKAGES: Final = "/opt/packages"
SOURCE: Final = "/opt/cardtable"
RUNTIMES: Final = ("openvino", "ncnn", "onnx")
"""What the benchmark compares with onnxruntime, and what writes its nets for them."""
PLATFORMS: Final = tuple(f"manylinux_2_{minor}_aarch64" for minor in range(SUITE.libc, 16, -1))
"""Those of wheels that run with the system's C library."""


def measure(work: Path) -> None:
    """Run the benchmark in a clean system. Raises `ReleaseError` if it fails, or if a runtime reads differently."""
    needed = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    include = ("python3", "libzbar0t64", "libgl1", "libglib2.0-0t64")
    with unpacked(system(SUITE.name, "arm64", "runtimes", work, include), work) as chroot:
        target = chroot.root / PACKAGES.lstrip("/")
        with step("packages for arm64"):
            platforms = [part for name in PLATFORMS for part in ("--platform", name)]
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", "--target", target]
            call([*command, *platforms, "--python-version", SUITE.python, *needed, *RUNTIMES])
        for name in ("benchmarks", "cardtable", "engine", "firmware_bridge", "hardware", "vision"):
            chroot.put(HERE / name, f"{SOURCE}/{name}")
        with step("benchmarks.runtimes on arm64"):
            path = f"PYTHONPATH={PACKAGES}:{SOURCE}"
            chroot.run(["env", path, "OPENCV_FOR_THREADS_NUM=1", "python3", "-m", "benchmarks.runtimes"])


def main() -> int:
    """Run it; return 1 if a step fails."""
    args = options("Run benchmarks.runtimes on arm64 under qemu-user.").parse_args()
    return reported("runtimes_on_arm64", lambda: measure(args.work))


if __name__ == "__main__":
    sys.exit(main())
