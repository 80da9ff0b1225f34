"""The table as a service of the machine: systemd units, support bundle."""
