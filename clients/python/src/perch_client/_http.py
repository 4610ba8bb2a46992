"""One HTTP call: the key in its header, a time limit, failures as ApiError."""

from __future__ import annotations

import http.client
import json
import math
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

    ``code`` is one of ApiErrorCode, or ``unreachable``, ``timeout`` or ``unreadable`` without a whole answer from the
    server. It is then unknown whether a read was charged: look up the receipt by ``request_id``, which is set if the
    head of the answer arrived, or else ``usage``. No field contains the key.
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
        #: Why, in one word: ``private``, ``suspended``, ``max_credits``, ``key_cap`` … For ``unreachable``, the class
        #: of the cause.
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
    """Follows no redirect, and does not read where it leads: it would send the key elsewhere, and the interface has
    none."""

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage
    ) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class Http:
    """Sends calls to a service. Stores the key and never shows it."""

    def __init__(self, base_url: str, key: str, timeout: float) -> None:
        self.base_url = _usable_url(base_url)
        # The standard library's own error about a header would quote it.
        if not isinstance(key, str) or re.fullmatch(r"[\x21-\x7e]+", key) is None:
            raise ApiError("missing_key", "The key is missing, or contains spaces or other characters that no key has.")
        self.timeout = _usable_timeout(timeout)
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
        """The answer's JSON, an object."""
        headers = {name: value for name, value in header.items() if value is not None}
        for name, value in headers.items():
            if re.fullmatch(r"[\x21-\x7e]+", value) is None:
                message = f"{name} must be visible ASCII characters without spaces."
                raise ApiError("bad_request", message, param=name)
        limit = self.timeout if timeout is None else _usable_timeout(timeout)
        for name, part in in_path.items():
            # Proxies and servers resolve these path segments, so the call would reach another endpoint.
            if part in (".", ".."):
                raise ApiError("bad_request", f"{name} can't be {json.dumps(part)}.", param=name)
        given = {name: _text(value) for name, value in query.items() if value is not None}
        try:
            url = self.base_url + path.format_map({name: urllib.parse.quote(v, safe="") for name, v in in_path.items()})
            if given:
                url += "?" + urllib.parse.urlencode(given)
        except UnicodeEncodeError:
            message = "A parameter contains half of a surrogate pair, which is no character."
            raise ApiError("bad_request", message) from None
        return self._send(method, url, headers, body, limit)

    def _send(
        self, method: str, url: str, own: Mapping[str, str], body: Optional[Mapping[str, Any]], timeout: Optional[float]
    ) -> Any:
        headers = {"x-api-key": self._key, "accept": "application/json", **own}
        data = None
        if body is not None:
            data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
            headers["content-type"] = "application/json"
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        status = 0
        request_id: Optional[str] = None
        try:
            with self._open(request, timeout) as answer:
                status, request_id = int(answer.status), _request_id(answer.headers)
                text = answer.read()
        except (OSError, ValueError, http.client.HTTPException) as failure:
            # Leaves out its message, which may quote the request.
            cause = failure.reason if isinstance(failure, urllib.error.URLError) else failure
            # Before Python 3.10 the two are different classes.
            if isinstance(cause, (TimeoutError, socket.timeout)):
                message = f"No answer within {timeout} s."
                raise ApiError("timeout", message, status=status, request_id=request_id) from None
            # The base address was checked: what has no class of its own is about the proxy that the environment names.
            if isinstance(cause, str) or type(cause) is ValueError:
                message = "The proxy in the environment can't be used: http_proxy must be like http://127.0.0.1:3128."
                raise ApiError("unreachable", message) from None
            what = "can't be reached" if status == 0 else "ended its answer early"
            reason = type(cause).__name__
            message = f"{self.base_url} {what} ({reason})."
            raise ApiError("unreachable", message, status=status, reason=reason, request_id=request_id) from None
        if 300 <= status < 400 and status != 304:
            why = "which is not followed because it would expose the key. Is the base URL correct?"
            message = f"{self.base_url} responded with a redirect, {why}"
            raise ApiError("unreadable", message, status=status, request_id=request_id)
        if not 200 <= status < 300:
            raise _error(status, text, _retry_after(answer.headers), request_id)
        try:
            said = json.loads(text)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise unreadable(status, request_id)
        return said

    def _open(self, request: urllib.request.Request, timeout: Optional[float]) -> Any:
        """The answer, whatever its status."""
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as failure:
            return failure


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


def _usable_timeout(timeout: Optional[float]) -> Optional[float]:
    """Seconds that a socket can wait; None for no limit."""
    if timeout is None or timeout == math.inf:
        return None
    if not 0 < timeout < 2**31 / 1000:
        message = "timeout must be math.inf or a number of seconds above 0, at most 2,147,483."
        raise ApiError("bad_request", message, param="timeout")
    return timeout


def _retry_after(headers: Mapping[str, str]) -> Optional[int]:
    said = str(headers.get("retry-after", ""))
    return int(said) if re.fullmatch("[0-9]{1,9}", said) else None


def _request_id(headers: Mapping[str, str]) -> Optional[str]:
    """A request id of Perch is a UUID v7. What a proxy sends instead leads to no receipt."""
    said = str(headers.get("x-request-id", ""))
    return said if re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}", said) else None


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, float):
        # As written, without an exponent; the service refuses too many decimals itself.
        return format(Decimal(repr(value)), "f")
    return str(value)


def unreadable(status: int, request_id: Optional[str] = None) -> ApiError:
    """Without ``retry_after``: a proxy that lost the service's answer does not know of a charge."""
    message = f"The response (HTTP {status}) is not from Perch. Is the base URL correct?"
    return ApiError("unreadable", message, status=status, request_id=request_id)


def _error(status: int, text: bytes, retry_after: Optional[int], request_id: Optional[str]) -> ApiError:
    try:
        body = json.loads(text)
        said = body["error"]
        return ApiError(
            str(said["code"]),
            str(said["message"]),
            status=status,
            reason=said.get("reason"),
            param=said.get("param"),
            request_id=body.get("request_id", request_id),
            retry_after=said.get("retry_after", retry_after),
            doc_url=said.get("doc_url"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return unreadable(status, request_id)
