"""Python's clients of HTTP: each row is a GET that takes parameters as an object and gives status and body."""
import asyncio, concurrent.futures, json, os, sys

URL, HEADERS = os.environ["PERCH_URL"], {"x-api-key": os.environ["PERCH_KEY"]}


def requests():
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    session = requests.Session()
    session.headers.update(HEADERS)
    session.mount("http://", HTTPAdapter(pool_maxsize=20, max_retries=Retry(total=5, read=0, other=0)))
    return lambda path, **params: session.get(URL + path, params=params).json()


def httpx():
    import httpx

    client = httpx.Client(base_url=URL, headers=HEADERS)
    return lambda path, **params: client.get(path, params=params).json()


def aiohttp():
    import aiohttp

    async def read(path, params):
        listed = [(name, each) for name, value in params.items() for each in (value if isinstance(value, list) else [value])]
        async with aiohttp.ClientSession(headers=HEADERS) as session:
            async with session.get(URL + path, params=listed) as response:
                return await response.json()

    # It refuses booleans itself.
    return lambda path, fresh=None, **params: asyncio.run(read(path, params))


get = {"requests": requests, "httpx": httpx, "aiohttp": aiohttp}[sys.argv[1]]()
first = get("/v1/users/harbor_obs/tweets", count=3)
second = get("/v1/users/harbor_obs/tweets", count=3, cursor=first["next_cursor"])
said = {
    "handle": get("/v1/users/harbor_obs", fresh=False)["data"]["handle"],
    "ids": [tweet["id"] for tweet in first["data"] + second["data"]],
    "refusal": get("/v1/users/nobody_sits_here")["error"]["code"],
    "list": [user["handle"] for user in get("/v1/users/batch", handles=["lantern_light", "quay_library"])["data"]],
}
if sys.argv[1] == "requests":
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        said["waited"] = len([me for me in pool.map(lambda _: get("/v1/me"), range(20)) if "balance" in me])
print(json.dumps(said))
