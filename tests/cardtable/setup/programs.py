"""Programs that stand in for nmcli and timedatectl on PATH, and answer as the real ones do."""

from __future__ import annotations

from pathlib import Path

import pytest

NMCLI = r"""#!/bin/sh
# As nmcli 1.42 answers: terse lines, its errors on standard error, its exit codes.
here=$(dirname "$0")
echo "$*" >> "$here/nmcli.log"
[ -e "$here/not-running" ] && { echo "Error: NetworkManager is not running." >&2; exit 8; }
joined=$(cat "$here/joined" 2>/dev/null)
case "$*" in
"--terse --fields IN-USE,SIGNAL,SECURITY,SSID device wifi list --rescan yes")
    mark() { [ "$joined" = "$1" ] && printf '*' || printf ' '; }
    printf '%s:42:WPA2:Anna\\:s \\\\ flat\n' "$(mark "Anna:s \\ flat")"
    printf '%s:81:WPA1 WPA2:Home\n%s:60:WPA2:Home\n' "$(mark Home)" "$(mark Home)"
    printf '%s:70::Caf\303\251\n' "$(mark Café)"
    printf ' :90:WPA2:\n' ;;
"--terse --fields TYPE,STATE device")
    [ -e "$here/no-wifi" ] && echo "loopback:unmanaged" || printf 'wifi:disconnected\nloopback:unmanaged\n' ;;
"--terse --fields TYPE,STATE,CONNECTION device")
    [ -n "$joined" ] && printf 'wifi:connected:%s\nloopback:unmanaged:\n' "$joined" || printf 'wifi:disconnected:\n' ;;
"--terse --fields NAME connection show") echo "Wired connection 1" ;;
"connection delete id "*) ;;
"device wifi connect "*)
    refused="Error: Failed to add/activate new connection: Not authorized to control networking."
    [ -e "$here/no-right" ] && { echo "$refused" >&2; exit 4; }
    case "$*" in
    "device wifi connect Home password correct-horse") echo Home > "$here/joined" ;;
    "device wifi connect Café") echo Café > "$here/joined" ;;
    "device wifi connect Home password "*)
        echo "Error: Connection activation failed: (7) Secrets were required, but not provided." >&2; exit 4 ;;
    *) echo "Error: No network with SSID '$4' found." >&2; exit 10 ;;
    esac ;;
"device wifi hotspot con-name cardtable ssid cardtable password "*) echo cardtable > "$here/joined" ;;
*) echo "Error: argument '$1' not understood. Try passing --help instead." >&2; exit 2 ;;
esac
"""

TIMEDATECTL = r"""#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/timedatectl.log"
case "$2 $3" in
"show --property=Timezone") cat "$here/zone" 2>/dev/null || echo Etc/UTC ;;
"list-timezones ") printf 'America/New_York\nEurope/London\nEurope/Paris\nUTC\n' ;;
"set-timezone "*)
    [ -e "$here/no-right" ] && { echo "Failed to set time zone: Interactive authentication required." >&2; exit 1; }
    echo "$3" > "$here/zone" ;;
*) exit 1 ;;
esac
"""


class Programs:
    """The folder of the programs, first on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def set(self, name: str) -> None:
        """Switch a fault on: `not-running`, `no-wifi`, `no-right`."""
        (self.folder / name).touch()

    def zone(self, name: str) -> None:
        """Set the time zone of the machine."""
        (self.folder / "zone").write_text(f"{name}\n", "utf-8")

    def log(self, program: str) -> list[str]:
        """The arguments of each call."""
        return (self.folder / f"{program}.log").read_text("utf-8").splitlines()


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Put the programs into `folder`, and it first on PATH; no other nmcli or timedatectl is found."""
    folder.mkdir(exist_ok=True)
    for name, script in (("nmcli", NMCLI), ("timedatectl", TIMEDATECTL)):
        (folder / name).write_text(script, "utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return Programs(folder)
