"""What is wrong with an object that a page or a program has sent, as a sentence that can be translated."""

from __future__ import annotations

from pydantic import ValidationError

from cardtable.config.errors import wanted
from engine.texts import Text, text


def fault_in(error: ValidationError) -> Text:
    """Return the first fault in `error`: where it is, and what should be there."""
    fault = error.errors(include_url=False)[0]
    where, more = ".".join(map(str, fault["loc"])), fault.get("ctx", {})
    match fault["type"]:
        case "json_invalid":
            return text("the message is not JSON")
        case "missing" | "union_tag_not_found":
            return text("{where}: it is missing", where=where or more.get("discriminator", "").strip("'"))
        case "extra_forbidden":
            return text("{where}: there is no such key", where=where)
        case "union_tag_invalid":
            return text("{where}: {given!r} is not something that can be done here", where="do", given=more["tag"])
        case "model_type" | "dict_type" | "model_attributes_type":
            return text("the message is not an object")
    wish = wanted(fault["type"], more)
    if wish is None:
        return text("{where}: this value is not allowed", where=where)
    return text("{where}: it {should}", where=where, should=wish)
