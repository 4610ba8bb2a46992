export interface Notice {
  /** Unix milliseconds; null: the version is current and nothing is sent. */
  readonly deprecationMs: number | null;
  readonly sunsetMs: number | null;
  readonly url: string | null;
}

/** The only place that decides the format of the dates: an HTTP-date, as the interface prints it (X3). */
const dateForm = (ms: number): string => new Date(ms).toUTCString();

/** The headers that announce the end of `/v1` while it still answers (section 9.3). Empty while it is current. */
export function versionHeaders(notice: Notice): Record<string, string> {
  if (notice.deprecationMs === null) return {};
  return {
    Deprecation: dateForm(notice.deprecationMs),
    ...(notice.sunsetMs !== null && { Sunset: dateForm(notice.sunsetMs) }),
    ...(notice.url !== null && { Link: `<${notice.url}>; rel=deprecation` }),
  };
}
