"""The configuration of a hub, `hub.toml`, which may be missing if the defaults are right."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from pydantic import Field, ValidationError

from cardtable.config.load import ConfigError
from cardtable.config.section import Section
from cardtable.config.toml_file import explain, place_of, read_toml
from cardtable.errors import why
from cardtable.languages import WRITTEN, Language
from cardtable_club.broker import Broker
from cardtable_club.config import TopicName
from cardtable_club.hub import DEFAULT_CONFIG
from engine.texts import text


class BrokerConfig(Section):
    """The MQTT broker."""

    host: str = Field(default="127.0.0.1", min_length=1, description=text("its address"))
    port: int = Field(default=1883, ge=1, le=65535, description=text("its port; 8883 with certificates"))
    user: str | None = Field(default=None, min_length=1, description=text("the hub's user name at the broker"))
    password: str | None = Field(default=None, description=text("the hub's password at the broker"))
    ca: Path | None = Field(default=None, strict=False, description=text("the certificate of the club's authority"))
    certificate: Path | None = Field(default=None, strict=False, description=text("the hub's certificate"))
    key: Path | None = Field(default=None, strict=False, description=text("the key of the hub's certificate"))
    start: bool = Field(
        default=True,
        description=text("whether to start a mosquitto at an address of this machine where no broker answers"),
    )

    secure: bool = Field(
        default=False,
        description=text("whether the mosquitto that the hub starts takes only tables with a certificate"),
    )
    names: list[str] = Field(
        default=[], description=text("addresses under which tables reach that mosquitto, for its certificate")
    )

    @property
    def broker(self) -> Broker:
        """The broker."""
        return Broker(**self.model_dump(exclude={"start", "secure", "names"}))


class HubConfig(Section):
    """The configuration of a hub. Relative paths start at the folder of the file."""

    name: TopicName = Field(default="club", description=text("the club's name, as in [club] of its tables"))
    database: str = Field(
        default="sqlite:///club.sqlite",
        description=text("where everything is kept: sqlite:///FILE, or postgresql://USER@HOST/NAME"),
    )
    host: str = Field(default="127.0.0.1", min_length=1, description=text("the address at which the pages are served"))
    port: int = Field(default=8020, ge=0, le=65535, description=text("their port"))
    network: bool = Field(
        default=False, description=text("whether other devices reach the pages, and tables the broker")
    )
    language: Language = Field(
        default="en", description=text("the language of the pages: {languages}", languages=WRITTEN)
    )
    broker: BrokerConfig = Field(default=BrokerConfig(), description=text("The MQTT broker."))

    @property
    def listens_at(self) -> str:
        """The address at which the pages are served."""
        return "0.0.0.0" if self.network else self.host


def read_hub_config(path: Path) -> HubConfig:
    """Return the configuration in `path`, or the defaults if that is a missing `hub.toml`. Raises `ConfigError`."""
    try:
        written, values = read_toml(path, ConfigError)
    except FileNotFoundError as error:
        if path != DEFAULT_CONFIG:
            raise ConfigError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
        return HubConfig()
    try:
        config = HubConfig.model_validate(values)
    except ValidationError as error:
        raise ConfigError(explain(partial(place_of, path, written), error, HubConfig)) from error
    broker, folder = config.broker, path.parent
    database = config.database
    if found := re.fullmatch(r"(sqlite(?:\+\w+)?:///)(?!/|:memory:|file:)(.+)", database):
        database = f"{found[1]}{folder.resolve() / found[2]}"
    files = {
        name: folder / file for name in ("ca", "certificate", "key") if (file := getattr(broker, name)) is not None
    }
    return config.model_copy(update={"broker": broker.model_copy(update=files), "database": database})
