"""The list of licences is complete, a package under the GPL is found, and an audit that saw nothing says so."""

from __future__ import annotations

import json

from tools import audit, licences


def test_the_list_has_direct_and_indirect_requirements() -> None:
    rows = licences.licence_table().splitlines()
    assert "| pydantic | MIT | cardtable |" in rows
    assert "| pydantic-core | MIT | pydantic |" in rows
    assert not any("mkdocs" in row for row in rows)


def test_a_package_under_the_gpl_is_found() -> None:
    known = {"chess": "GPL-3.0+", "fpdf": "LGPL-3.0-only", "numpy": "BSD-3-Clause", "x": "GNU Affero General Public v3"}
    found = licences.under_gpl(dict.fromkeys(("chess", "fpdf", "numpy", "x", "json"), "a.py"), known)
    assert found == ["a.py imports chess, which is under GPL-3.0+", f"a.py imports x, which is under {known['x']}"]


def test_modules_that_are_imported_late_count() -> None:
    assert {"starlette", "cv2", "luma", "fpdf", "zxingcpp"} <= licences.imported().keys()


def test_what_pip_audit_could_not_look_up_is_not_free_of_vulnerabilities() -> None:
    fine = {"name": "a", "version": "1.0", "vulns": []}
    skipped = {"name": "b", "skip_reason": "Dependency not found on PyPI and could not be audited: b (1.0)"}
    bad = {"name": "c", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "description": ""}]}

    def result(*packages: object) -> audit.Result:
        return audit.read(json.dumps({"dependencies": packages, "fixes": []}))

    assert audit.code(result(fine)) == 0
    assert audit.code(result(fine, skipped)) == 2
    assert audit.code(result()) == 2
    assert audit.code(result(fine, skipped, bad)) == 1
    assert result(bad).vulnerable == ["c 1.0: PYSEC-1, fixed in 1.1"]
