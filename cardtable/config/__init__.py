"""The configuration file `table.toml`: model, checks, template and schema."""
