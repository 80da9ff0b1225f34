"""Looking after a table: backups, updates, running as a service, the support bundle, and watching the machine."""
