"""The steps of the first start, one file for each."""

from __future__ import annotations

from cardtable.first_start.step import Step
from cardtable.first_start.steps.begin import BeginStep
from cardtable.first_start.steps.buttons import ButtonsStep
from cardtable.first_start.steps.calibrate import CalibrateStep
from cardtable.first_start.steps.camera import CameraStep
from cardtable.first_start.steps.card import CardStep
from cardtable.first_start.steps.club import ClubStep
from cardtable.first_start.steps.language import LanguageStep
from cardtable.first_start.steps.light import LightStep
from cardtable.first_start.steps.mat import MatStep
from cardtable.first_start.steps.phone import PhoneStep
from cardtable.first_start.steps.players import PlayersStep
from cardtable.first_start.steps.readers import ReadersStep
from cardtable.first_start.steps.time_zone import TimeZoneStep
from cardtable.first_start.steps.wifi import WifiStep


def all_steps() -> tuple[Step, ...]:
    """Return the steps in the order in which they are asked."""
    return (
        LanguageStep(),
        TimeZoneStep(),
        WifiStep(),
        PhoneStep(),
        ClubStep(),
        CameraStep(),
        LightStep(),
        MatStep(),
        CalibrateStep(),
        ReadersStep(),
        ButtonsStep(),
        CardStep(),
        PlayersStep(),
        BeginStep(),
    )
