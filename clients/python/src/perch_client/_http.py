"""One HTTP call: the key in its header, a time limit, failures as ApiError."""

from __future__ import annotations

import http.client
import json
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
from decimal import Decimal
from typing import IO, Any, Mapping, Optional, Tuple, Union

Value = Union[str, int, float, bool, "list[str]", None]


class ApiError(Exception):
    """Any failure of a call. A call whose failure the server reports was not charged, unless the ``reason`` is
    ``charge_unknown``: then look up the receipt by its request id before you repeat the call.

    ``code`` is one of ApiErrorCode, or ``unreachable``, ``timeout`` or ``unreadable`` if the server gave no answer.
    It is then unknown whether a read was charged; ``usage`` shows it. No field contains the key.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        reason: Optional[str] = None,
        param: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
        doc_url: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: HTTP status; 0 if there was no answer.
        self.status = status
        #: Why, in one word: ``private``, ``suspended``, ``max_credits``, ``key_cap`` …
        self.reason = reason
        self.param = param
        self.request_id = request_id
        #: Seconds until another attempt makes sense. Set only if nothing was charged.
        self.retry_after = retry_after
        #: The page that describes the code.
        self.doc_url = doc_url

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> Tuple[Any, ...]:
        # By default, unpickling passes only the message: without this, an error could not cross processes.
        return (_made, (type(self), self.code, self.message), dict(self.__dict__))


def _made(kind: type[ApiError], code: str, message: str) -> ApiError:
    return kind(code, message)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would send the key elsewhere, and the interface has none."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


class Http:
    """Sends calls to a service. Stores the key and never shows it."""

    def __init__(self, base_url: str, key: str, timeout: float) -> None:
        self.base_url = _usable_url(base_url)
        # The standard library's own error about a header would quote it.
        if not isinstance(key, str) or re.fullmatch(r"[\x21-\x7e]+", key) is None:
            raise ApiError("missing_key", "The key is missing, or contains spaces or other characters that no key has.")
        self.timeout = timeout
        self._key = key
        self._opener = urllib.request.build_opener(_NoRedirects())

    def __repr__(self) -> str:
        return f"Http({self.base_url!r})"

    def call(
        self,
        method: str,
        path: str,
        in_path: Mapping[str, str],
        query: Mapping[str, Value],
        body: Optional[Mapping[str, Any]],
        timeout: Optional[float],
        header: Mapping[str, Optional[str]] = {},
    ) -> Any:
        """The answer's JSON."""
        headers = {name: value for name, value in header.items() if value is not None}
        for name, value in headers.items():
            if re.fullmatch(r"[\x21-\x7e]+", value) is None:
                message = f"{name} must be visible ASCII characters without spaces."
                raise ApiError("bad_request", message, param=name)
        for name, part in in_path.items():
            # Proxies and servers resolve these path segments, so the call would reach another endpoint.
            if part in (".", ".."):
                raise ApiError("bad_request", f"{name} can't be {json.dumps(part)}.", param=name)
        url = self.base_url + path.format_map({name: urllib.parse.quote(v, safe="") for name, v in in_path.items()})
        given = {name: _text(value) for name, value in query.items() if value is not None}
        if given:
            url += "?" + urllib.parse.urlencode(given)
        return self._send(method, url, headers, body, self.timeout if timeout is None else timeout)

    def _send(
        self, method: str, url: str, own: Mapping[str, str], body: Optional[Mapping[str, Any]], timeout: float
    ) -> Any:
        headers = {"x-api-key": self._key, "accept": "application/json", **own}
        data = None
        if body is not None:
            data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
            headers["content-type"] = "application/json"
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                status, text = int(answer.status), answer.read()
        except urllib.error.HTTPError as failure:
            with failure:
                if 300 <= failure.code < 400 and failure.code != 304:
                    raise self._redirected(failure.code) from None
                raise _error(failure.code, _read(failure), _retry_after(failure)) from None
        except (OSError, UnicodeError, http.client.HTTPException) as failure:
            # Leaves out its message, which may quote the request.
            cause = failure.reason if isinstance(failure, urllib.error.URLError) else failure
            # Before Python 3.10 the two are different classes.
            if isinstance(cause, (TimeoutError, socket.timeout)):
                raise ApiError("timeout", f"No answer within {timeout} s.") from None
            raise ApiError("unreachable", f"{self.base_url} can't be reached ({type(cause).__name__}).") from None
        try:
            return json.loads(text)
        except ValueError:
            raise unreadable(status) from None


    def _redirected(self, status: int) -> ApiError:
        message = f"{self.base_url} responded with a redirect, which is not followed because it would expose the key."
        return ApiError("unreadable", f"{message} Is the base URL correct?", status=status)


def _usable_url(base_url: str) -> str:
    """The base address without trailing slashes. Raises a ValueError without it: it may contain a password."""
    wrong = ValueError("base_url must be an address such as https://perch.example, without a query or a password.")
    try:
        url = urllib.parse.urlsplit(base_url.strip())
        usable = url.scheme in ("http", "https") and url.hostname and "@" not in url.netloc
        _ = url.port
    except (AttributeError, ValueError):
        raise wrong from None
    if not usable or url.query or url.fragment:
        raise wrong
    return url.geturl().rstrip("/?#")


def _retry_after(failure: urllib.error.HTTPError) -> Optional[int]:
    said = str(failure.headers.get("retry-after", ""))
    return int(said) if re.fullmatch("[0-9]{1,9}", said) else None


def _read(failure: urllib.error.HTTPError) -> bytes:
    try:
        return failure.read()
    except (OSError, http.client.HTTPException):
        return b""


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, float):
        # As written, without an exponent; the service refuses too many decimals itself.
        return format(Decimal(repr(value)), "f")
    return str(value)


def unreadable(status: int) -> ApiError:
    """Without ``retry_after``: a proxy that lost the service's answer does not know of a charge."""
    message = f"The response (HTTP {status}) is not from Perch. Is the base URL correct?"
    return ApiError("unreadable", message, status=status)


def _error(status: int, text: bytes, retry_after: Optional[int]) -> ApiError:
    try:
        body = json.loads(text)
        said = body["error"]
        return ApiError(
            str(said["code"]),
            str(said["message"]),
            status=status,
            reason=said.get("reason"),
            param=said.get("param"),
            request_id=body.get("request_id"),
            retry_after=said.get("retry_after", retry_after),
            doc_url=said.get("doc_url"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return unreadable(status)
