"""The configuration file `table.toml`: its model, reading and checking it, changing it, template and JSON Schema."""
