"""Enrolment at the hub: codes that are valid once and for an hour, and the certificates given for them."""

from __future__ import annotations

import hmac
import time
from typing import Final

import sqlalchemy as sql

from cardtable.club.codes import Code, new_code
from cardtable.hub.authority import Authority
from cardtable.hub.store import Store
from cardtable.hub.tables import ENROLMENT

VALID_S: Final = 3600.0


class Enrolment:
    """Codes in the database of a hub, and its authority. Methods raise `StoreError`."""

    def __init__(self, store: Store, authority: Authority) -> None:
        self._store, self._authority = store, authority

    def invite(self, table: str) -> Code:
        """Return a new code for a table; an earlier one for it is no longer valid."""
        code = new_code(self._authority.certificate)
        with self._store.transaction() as database:
            database.execute(sql.delete(ENROLMENT).where(ENROLMENT.c.table == table))
            values = {"table": table, "secret": code.secret, "expires": time.time() + VALID_S}
            database.execute(sql.insert(ENROLMENT).values(values))
        return code

    def withdraw(self, table: str) -> bool:
        """Make the code for a table invalid; return whether there was one."""
        with self._store.transaction() as database:
            return bool(database.execute(sql.delete(ENROLMENT).where(ENROLMENT.c.table == table)).rowcount)

    def accept(self, request: bytes, proof: str) -> tuple[str, bytes] | None:
        """Return the table and its certificate if `proof` shows that the sender knows a code; the code is used then.

        None for a wrong proof, a code that is too old, and a request that is not one.
        """
        with self._store.transaction() as database:
            for row in database.execute(sql.select(ENROLMENT).where(ENROLMENT.c.expires > time.time())).all():
                if not hmac.compare_digest(Code(row.secret, "").proof(request), proof):
                    continue
                used = sql.delete(ENROLMENT).where(
                    (ENROLMENT.c.table == row.table) & (ENROLMENT.c.secret == row.secret)
                )
                if not database.execute(used).rowcount:
                    return None
                try:
                    return row.table, self._authority.sign(request, row.table)
                except ValueError:
                    return None
        return None
