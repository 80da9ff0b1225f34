"""Home Assistant with nothing but MQTT, for `lab.home_assistant`, which runs this in another Python.

The argument is the port of the broker. Answers each line of standard input, a JSON object, with one of JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from homeassistant import bootstrap, runner
from homeassistant.const import __version__
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry

ENTRY = "01JABCDEFGHJKMNPQRSTVWXYZ0"


def configure(folder: Path, port: int) -> None:
    """Write a configuration with an MQTT broker at this machine's `port`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        pages = int(free.getsockname()[1])
    (folder / "configuration.yaml").write_text(f"http:\n  server_host: 127.0.0.1\n  server_port: {pages}\n")
    entry = {
        "entry_id": ENTRY, "domain": "mqtt", "title": "mqtt", "version": 1, "minor_version": 2, "source": "user",
        "data": {"broker": "127.0.0.1", "port": port}, "options": {"discovery": True}, "subentries": [],
        "unique_id": None, "disabled_by": None, "pref_disable_new_entities": False, "pref_disable_polling": False,
        "discovery_keys": {}, "created_at": "2026-01-01T00:00:00+00:00", "modified_at": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    stored = {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [entry]}}
    (folder / ".storage").mkdir()
    (folder / ".storage" / "core.config_entries").write_text(json.dumps(stored))


def entities(hass: HomeAssistant) -> dict[str, dict[str, str]]:
    """Return the broker's entities by unique name."""
    found = {}
    for entry in entity_registry.async_entries_for_config_entry(entity_registry.async_get(hass), ENTRY):
        state = hass.states.get(entry.entity_id)
        shown = state.state if state else ""
        found[entry.unique_id] = {"entity": entry.entity_id, "state": shown, "name": entry.original_name or ""}
    return found


async def main(folder: str) -> None:
    """Answer until standard input ends. `folder`: of the configuration."""
    loop = asyncio.get_running_loop()
    hass = await bootstrap.async_setup_hass(runner.RuntimeConfig(config_dir=folder, skip_pip=True))
    if hass is None or hass.config.recovery_mode:
        sys.exit("Home Assistant does not start")
    await hass.async_start()
    answer: Any = __version__
    while True:
        print(json.dumps(answer), flush=True)
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            break
        question = json.loads(line)
        if question["do"] == "press":
            await hass.services.async_call("button", "press", {"entity_id": question["entity"]}, blocking=True)
            answer = True
        else:
            answer = entities(hass)
    await hass.async_stop()


logging.basicConfig(level=logging.ERROR)
with tempfile.TemporaryDirectory() as folder:
    configure(Path(folder), int(sys.argv[1]))
    asyncio.run(main(folder))
    logging.disable()
