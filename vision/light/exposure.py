"""An exposure that follows the cards: their white is kept bright, and nothing on them burns out.

The automatic exposure of a camera looks at the whole picture: on a dark cloth it overexposes the cards, on a light one
it makes them grey. This one looks at the white of the cards. It is slow; the caller uses it only while nothing moves,
because every change of the exposure changes the whole picture.
"""

from __future__ import annotations

from vision.light.settings import EXPOSURE_DEFAULTS, ExposureSettings


class CardExposure:
    """Decides by which factor the exposure must change.

    >>> control = CardExposure()
    >>> control.factor(white=215, burnt=0.0, time=0.0), control.factor(white=255, burnt=0.4, time=1.0)
    (1.0, 0.7692307692307692)
    >>> control.factor(white=235, burnt=0.1, time=2.0)      # the last change was less than four seconds ago
    1.0
    """

    def __init__(self, settings: ExposureSettings = EXPOSURE_DEFAULTS) -> None:
        self._settings = settings
        self._next_at = float("-inf")

    def factor(self, white: float, burnt: float, time: float) -> float:
        """Return the factor for the exposure now; 1 if it stays.

        `white`: grey level of the white of the cards. `burnt`: share of the cards that is overexposed. `time`: seconds.
        """
        settings = self._settings
        if time < self._next_at:
            return 1.0
        least, most = 1 / settings.max_step, settings.max_step
        if burnt > settings.burnt_share:
            factor = least
        elif abs(white - settings.white) > settings.tolerance:
            factor = min(max((settings.white / max(white, 1.0)) ** settings.gamma, least), most)
        else:
            return 1.0
        self._next_at = time + settings.wait_s
        return factor

    def blind_factor(self, bright: float, burnt: float, time: float) -> float:
        """Return the factor for the exposure while the mat is not found, perhaps because it is burnt out or dark.

        `bright`: grey level of the brightest parts of the picture. `burnt`: share of it that is overexposed.
        """
        settings = self._settings
        if time < self._next_at:
            return 1.0
        if burnt > settings.blind_burnt_share:
            factor = 1 / settings.blind_step
        elif bright < settings.blind_dark:
            factor = settings.blind_step
        else:
            return 1.0
        self._next_at = time + settings.blind_wait_s
        return factor
