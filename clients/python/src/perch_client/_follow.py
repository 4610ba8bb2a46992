"""New items of a list as they appear."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Callable, Generic, Iterator, List, Literal, Mapping, Optional, TypeVar, cast

from ._http import ApiError, unreadable
from ._pages import short_of_credits

FollowEnd = Literal["stopped", "max_credits", "no_credits", "key_cap"]

T = TypeVar("T", bound=Mapping[str, Any])

#: Delays between two attempts at a call that failed, in seconds.
_LONGEST_DELAY = 300.0
_SHORTEST_DELAY = 0.1
#: Before the first look at the receipt of a call; each later delay is twice as long: a minute in all.
_RECEIPT_DELAY = 2.0
_RECEIPT_TRIES = 4
#: Calls at one cursor whose answers were lost: each may have been charged, outside the budget.
_LOST_CALLS = 5
#: Causes of connections that were never made, so that nothing was sent.
_NOT_SENT = ("ConnectionRefusedError", "gaierror")


class Following(Generic[T], Iterator[T]):
    """Iterates once over new items: ``for tweet in perch.follow_user_tweets(…, max_credits=100)``."""

    def __init__(
        self,
        read: Callable[[Optional[str], Optional[float]], Mapping[str, Any]],
        receipt: Callable[[str], Mapping[str, Any]],
        *,
        max_credits: float,
        since: Optional[str] = None,
        interval: float = 30.0,
        stop: Optional[threading.Event] = None,
        on_gap: Optional[Callable[[], object]] = None,
        on_retry: Optional[Callable[[ApiError], object]] = None,
    ) -> None:
        if not max_credits > 0 or (math.isfinite(max_credits) and round(max_credits * 1000) <= 0):
            raise ValueError("max_credits must be a number of credits above 0.")
        if not (math.isfinite(interval) and interval >= 0):
            raise ValueError("interval must be a number of seconds.")
        self._read = read
        self._receipt = receipt
        # Rounded down, so that the budget is never exceeded.
        self._budget = math.floor(max_credits * 1000 + 1e-6) if math.isfinite(max_credits) else None
        self._interval = interval
        self._stop = stop
        self._on_gap = on_gap
        self._on_retry = on_retry
        self._spent = 0
        self._answered = False
        self._failed = False
        self._waits = False
        self._end: Optional[FollowEnd] = None
        self._items: List[T] = []
        self._next: Optional[str] = None
        #: Where to continue later: pass it as ``since``, even after a `break` or a failure. It advances with the last
        #: item of each answer, so no item comes twice unless the caller stopped between items of one answer.
        self.since = since
        #: Why it ended; None while it continues, after a `break`, and after a failure.
        self.ended: Optional[FollowEnd] = None

    @property
    def spent(self) -> float:
        """Credits charged so far."""
        return self._spent / 1000

    @property
    def remaining(self) -> float:
        """Credits left in the budget."""
        return math.inf if self._budget is None else (self._budget - self._spent) / 1000

    def __iter__(self) -> Following[T]:
        return self

    def __next__(self) -> T:
        while not self._items:
            self.ended = self._end
            if self.ended is None and self._waits:
                self._waits = False
                self._sleep(self._interval)
            if self.ended is not None or self._failed:
                raise StopIteration
            try:
                self._fetch()
            except BaseException:
                self._failed = True
                raise
        item = self._items.pop(0)
        if not self._items:
            self.since = self._next
        return item

    def _fetch(self) -> None:
        since = self.since
        answer = self._ask()
        if answer is None:
            return
        if answer.get("gap") and self._on_gap is not None:
            self._on_gap()
        self._next = cast(str, answer["since_cursor"])
        # The item of the first page is not new: it was there before.
        self._items = [] if since is None else list(cast("List[T]", answer.get("data", [])))
        if not self._items:
            self.since = self._next
        cut = short_of_credits(answer.get("truncated"))
        if cut is not None:
            self._end = cast(FollowEnd, cut)
        elif self._budget is not None and self._spent >= self._budget:
            self._end = "max_credits"
        else:
            self._waits = since is not None and not answer.get("has_newer")

    def _ask(self) -> Optional[Mapping[str, Any]]:
        """One call, repeated until it is answered; None if the iteration ends."""
        tries = lost = 0
        while True:
            if self._stop is not None and self._stop.is_set():
                self.ended = self._end = "stopped"
                return None
            try:
                answer = self._read(self.since, None if self._budget is None else self.remaining)
                charged = answer.get("credits_charged")
                if not isinstance(charged, (int, float)) or not math.isfinite(charged):
                    raise unreadable(200)
                self._spent += round(charged * 1000)
                if answer.get("since_cursor") is None:
                    message = "The server gave no since_cursor: this list cannot be followed."
                    raise ApiError("unreadable", message, status=200)
                self._answered = True
                return answer
            except ApiError as error:
                if self._answered and error.code == "no_credits":
                    self.ended = self._end = cast(FollowEnd, short_of_credits(error.reason) or "no_credits")
                    return None
                if not self._may_repeat(error):
                    raise
                is_lost = _may_be_charged(error)
                lost += is_lost
                if lost == _LOST_CALLS:
                    raise
                if self._on_retry is not None:
                    self._on_retry(error)
                if is_lost and error.request_id is not None:
                    self._look_up(error.request_id)
                    if self.ended is not None:
                        return None
                delay = min(max(_SHORTEST_DELAY, self._interval) * 2.0 ** min(tries, 30), _LONGEST_DELAY)
                self._sleep(max(float(error.retry_after or 0), delay))
                tries += 1

    def _look_up(self, request_id: str) -> None:
        """Adds the charge of a call once it is known. A call without a receipt for a minute was not charged."""
        tries = 0
        retry_after = 0.0
        while True:
            self._sleep(max(retry_after, min(_RECEIPT_DELAY * 2.0 ** min(tries, 30), _LONGEST_DELAY)))
            if self.ended is not None:
                return
            try:
                receipt = self._receipt(request_id)
                try:
                    self._spent += round(receipt["data"]["credits"] * 1000)
                except (KeyError, TypeError, ValueError, OverflowError):
                    raise unreadable(200) from None
                if self._budget is not None and self._spent >= self._budget:
                    self.ended = self._end = "max_credits"
                return
            except ApiError as error:
                if error.code == "not_found":
                    if tries >= _RECEIPT_TRIES:
                        return
                elif not self._may_repeat(error):
                    raise
                else:
                    if self._on_retry is not None:
                        self._on_retry(error)
                    retry_after = float(error.retry_after or 0)
            tries += 1

    def _may_repeat(self, error: ApiError) -> bool:
        """A call that the service postpones (429, or 503 with a time) is free. Others that fail may have been charged,
        or fail again. They are repeated only if an earlier call was answered: the same cursor returns the same items,
        then at half price."""
        if error.status == 429 or (error.status == 503 and error.retry_after is not None):
            return True
        return self._answered and (error.status >= 500 or error.code in ("unreachable", "timeout"))

    def _sleep(self, seconds: float) -> None:
        if self._stop is None:
            time.sleep(seconds)
        elif self._stop.wait(seconds):
            self.ended = self._end = "stopped"


def _may_be_charged(error: ApiError) -> bool:
    """Whether no answer of the service says what a call cost."""
    lost = error.status != 429 and error.code in ("timeout", "unreachable", "unreadable")
    return error.reason == "charge_unknown" or (lost and error.reason not in _NOT_SENT)
