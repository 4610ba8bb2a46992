"""The pages of a list, one call each, within one budget of credits."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Generic, Iterator, Literal, Mapping, Optional, TypeVar, cast

from ._http import ApiError, unreadable

EndReason = Literal["complete", "max_credits", "no_credits", "key_cap"]

P = TypeVar("P", bound=Mapping[str, Any])

#: Seconds that a page waits for the rate limit each time, and how often it is called for meanwhile.
_LONGEST_WAIT = 10
_MOST_TRIES = 5

_SHORT_OF_CREDITS = ("max_credits", "no_credits", "key_cap")


class Pages(Generic[P], Iterator[P]):
    """Iterates once over the pages of a list: ``for page in perch.iter_user_tweets(…, max_credits=10)``."""

    def __init__(
        self, read: Callable[[Optional[str], float], P], *, max_credits: float, cursor: Optional[str] = None
    ) -> None:
        if not math.isfinite(max_credits) or round(max_credits * 1000) <= 0:
            raise ValueError("max_credits must be a number of credits above 0.")
        self._read = read
        # Credits have at most three decimals. Rounded down, so that the budget is never exceeded.
        self._budget = math.floor(max_credits * 1000 + 1e-6)
        self._spent = 0
        self._first = True
        self._failed = False
        #: The cursor of the next page, from which another iteration can continue, even after a `break` or a failure.
        #: Before the first page, it is the cursor that was passed to the iteration; after the last page, it is None.
        self.cursor = cursor
        #: Why it ended; None while it continues, and after a failure.
        self.ended: Optional[EndReason] = None

    @property
    def spent(self) -> float:
        """Credits charged for the pages so far."""
        return self._spent / 1000

    @property
    def remaining(self) -> float:
        """Credits left in the budget."""
        return (self._budget - self._spent) / 1000

    def __iter__(self) -> Pages[P]:
        return self

    def __next__(self) -> P:
        if self.ended is not None or self._failed:
            raise StopIteration
        try:
            page = self._patiently()
        except ApiError as error:
            # The first page fails like any call, because nothing was delivered. On later pages the iteration ends.
            if self._first or error.code != "no_credits":
                self._failed = True
                raise
            self.ended = short_of_credits(error.reason) or "no_credits"
            raise StopIteration from None
        self._first = False
        charged = page.get("credits_charged")
        if not isinstance(charged, (int, float)) or not math.isfinite(charged):
            # Without the charge, the rest of the budget is unknown.
            self._failed = True
            raise unreadable(200)
        self._spent += round(charged * 1000)
        following = page.get("next_cursor")
        if following is not None and following == self.cursor:
            self._failed = True
            raise ApiError("unreadable", "The server gave the same cursor again.", status=200)
        self.cursor = following
        self.ended = short_of_credits(page.get("truncated"))
        if self.ended is None and following is None:
            self.ended = "complete"
        elif self.ended is None and self._spent >= self._budget:
            self.ended = "max_credits"
        return page

    def _patiently(self) -> P:
        """One call, repeated when the rate limit refused it and says so for a short time. Refused calls are free."""
        for _ in range(_MOST_TRIES - 1):
            try:
                return self._read(self.cursor, self.remaining)
            except ApiError as error:
                if error.status != 429 or error.retry_after is None or error.retry_after > _LONGEST_WAIT:
                    raise
                time.sleep(error.retry_after)
        return self._read(self.cursor, self.remaining)


def short_of_credits(reason: Optional[str]) -> Optional[EndReason]:
    """The reason, where credits are why an answer was cut."""
    return cast(EndReason, reason) if reason in _SHORT_OF_CREDITS else None
