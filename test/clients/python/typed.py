"""What is right for a type checker, and what must not be. Read by mypy --strict, never run: an ignore that is not needed
is an error of its own."""

import threading
from typing import List, Optional

from perch_client import ApiError, Pages, Perch, models

perch = Perch("http://127.0.0.1:4000", "k", timeout=1)
Perch("http://127.0.0.1:4000")  # type: ignore[call-arg]

user: models.User = perch.user("harbor_obs", fresh=True, max_credits=2)["data"]
followers: int = user["followers"]
bio: Optional[str] = user.get("bio")
user["follower_count"]  # type: ignore[typeddict-item]
perch.user()  # type: ignore[call-overload]
perch.user("a", count=3)  # type: ignore[call-overload]
perch.user_tweets("a", limit=3)  # type: ignore[call-overload]
perch.search(count=3)  # type: ignore[call-overload]
perch.nothing()  # type: ignore[attr-defined]
perch.users_batch([1])  # type: ignore[list-item]
perch.checkout("starter", idempotency_key="order-1")
perch.checkout("gigantic")  # type: ignore[arg-type]
worst: float = perch.user("a", estimate=True)["estimate"]["max_credits"]

pages: Pages[models.IdPage] = perch.iter_follower_ids("a", max_credits=1)
for page in pages:
    ids: List[str] = page["data"]
perch.iter_user_tweets("a")  # type: ignore[call-arg]
perch.iter_user_tweets("a", max_credits=1, since="s")  # type: ignore[call-arg]
for tweet in perch.follow_search("x", max_credits=1, stop=threading.Event()):
    text: str = tweet["text"]
perch.follow_followers("a", max_credits=1)  # type: ignore[attr-defined]
perch.follow_user_tweets("a")  # type: ignore[call-arg]
perch.iter_user("a", max_credits=1)  # type: ignore[attr-defined]


def code(error: ApiError) -> str:
    wait: Optional[int] = error.retry_after
    error.kode  # type: ignore[attr-defined]
    return f"{error.code} {wait}"
