"""The library that runs the nets: it keeps nothing in the home, reports nothing, and uses all cores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.drawing.net_inputs import MOST_APART, OUTPUTS, decisions, difference, inputs
from vision.faces import onnx_session
from vision.faces.net_forms import FORMS, Form, form_file
from vision.faces.net_threads import MOST, limit_net_threads, net_threads, use_one_thread
from vision.faces.onnx_session import open_net, open_session


def test_no_number_of_this_machine_is_made(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", "import vision.faces.onnx_session"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert not list(tmp_path.rglob("*"))


@pytest.mark.usefixtures("any_threads")
def test_a_net_has_a_thread_for_each_core_unless_it_is_limited() -> None:
    for most, threads in ((MOST, min(MOST, cv2.getNumberOfCPUs())), (1, 1), (0, 1)):
        limit_net_threads(most)
        assert open_net("glyphs.onnx").get_session_options().intra_op_num_threads == net_threads() == threads
    limit_net_threads(MOST)
    cv2.setNumThreads(2)
    use_one_thread()
    assert net_threads() == cv2.getNumThreads() == 1


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_the_answers_are_the_same_on_any_number_of_threads(
    net: str, form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = []
    for count in (1, 2, 4):
        monkeypatch.setattr(onnx_session, "net_threads", lambda count=count: count)
        sessions.append(open_session(form_file(net, form)))
    assert [session.get_session_options().intra_op_num_threads for session in sessions] == [1, 2, 4]
    for arrays in inputs(2):
        alone, *others = (session.run(list(OUTPUTS[net]), arrays[net]) for session in sessions)
        for other in others:
            for expected, found in zip(alone, other, strict=True):
                assert difference(expected, found) <= MOST_APART  # processors may divide the last sums otherwise
                assert np.array_equal(decisions(net, expected), decisions(net, found))
