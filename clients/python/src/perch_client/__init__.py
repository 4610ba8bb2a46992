"""Typed client of Perch: one method per operation, each one HTTP call."""

from . import _models as models
from ._client import Perch
from ._follow import FollowEnd, Following
from ._http import ApiError
from ._models import ApiErrorCode
from ._pages import EndReason, Pages

__all__ = ["ApiError", "ApiErrorCode", "EndReason", "FollowEnd", "Following", "Pages", "Perch", "models"]
