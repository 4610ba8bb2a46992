/** The licences that packages may have, and the known advisories that are accepted for a while. */

/** Licences (SPDX) that any package may have, and why. */
export const ALLOWED: Readonly<Record<string, string>> = {
  MIT: "Perch's own: keep the notice.",
  'MIT-0': 'As MIT, without the notice.',
  ISC: 'As MIT, in other words.',
  '0BSD': 'Asks for nothing.',
  'BSD-2-Clause': 'Keep the notice.',
  'BSD-3-Clause': 'Keep the notice, and do not advertise with the authors.',
  'Apache-2.0': 'Keep the notice and say what was changed; grants patents.',
  'BlueOak-1.0.0': 'Keep the notice or a link; grants patents.',
  Unlicense: 'In the public domain.',
  'CC0-1.0': 'In the public domain.',
};

/** Licences that only tools may have, which are neither in the package nor in the image. */
export const ALLOWED_FOR_TOOLS: Readonly<Record<string, string>> = {
  'MPL-2.0': 'Asks for the source of changed files; we change and pass on none.',
  'CC-BY-4.0': 'Name the source; of a table of browsers that a compiler reads, and we pass on none of it.',
  'Python-2.0': 'Keep the notice; of a parser of arguments that was ported from Python.',
};

/** Licences of packages whose lockfile entry is not SPDX, by name, with the source. */
export const STATED_ELSEWHERE: Readonly<Record<string, { readonly licence: string; readonly where: string }>> = {
  '@modelcontextprotocol/inspector': {
    licence: 'Apache-2.0 OR MIT',
    where: 'its LICENSE: new parts Apache-2.0, older ones MIT',
  },
  'parse-cache-control': { licence: 'BSD-3-Clause', where: 'its LICENSE' },
  ...Object.fromEntries(
    [
      ...['compute-gcd', 'compute-lcm', 'validate.io-function', 'validate.io-integer', 'validate.io-integer-array'],
      'validate.io-number',
    ].map((name) => [name, { licence: 'MIT', where: 'the field `licenses` of its package.json' }]),
  ),
};

export const SEVERITIES = ['critical', 'high', 'moderate', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The most days from when an advisory is seen until it is fixed, as SECURITY.md promises. */
export const DAYS_TO_MEND: Readonly<Record<Severity, number>> = {
  critical: 7,
  high: 30,
  moderate: 90,
  low: 90,
  info: 90,
};

export interface AcceptedAdvisory {
  /** The id in the advisory's address: GHSA-… */
  readonly id: string;
  /** Why it does no harm here, or what we are waiting for. */
  readonly reason: string;
  /** Days as YYYY-MM-DD: when it was seen, and the last one on which it is accepted. */
  readonly seen: string;
  readonly until: string;
}

/** Known advisories that are accepted for now. After `until`, the check fails again. None at present. */
export const ACCEPTED: readonly AcceptedAdvisory[] = [];
