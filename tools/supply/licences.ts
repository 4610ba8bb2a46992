/** Checks whether the policy allows the licence of every package in the lockfile. Needs no network. */
import { type Installed, installedOf, type Lockfile } from './lockfile.js';
import { ALLOWED, ALLOWED_FOR_TOOLS, STATED_ELSEWHERE } from './policy.js';

const licenceOf = ({ name, license }: Installed): string | undefined => STATED_ELSEWHERE[name]?.licence ?? license;

/** The licences that an expression offers to choose from. One with AND counts as an unknown licence. */
const choicesOf = (expression: string): string[] => expression.replaceAll(/^\(|\)$/g, '').split(' OR ');

function isAllowed(each: Installed): boolean {
  const allowed = each.isTool ? { ...ALLOWED, ...ALLOWED_FOR_TOOLS } : ALLOWED;
  return choicesOf(licenceOf(each) ?? '').some((choice) => Object.hasOwn(allowed, choice));
}

export interface LicenceReport {
  readonly packages: number;
  /** The number of packages per licence, most frequent first. */
  readonly counts: readonly (readonly [licence: string, packages: number])[];
  /** The violations, as sentences. */
  readonly faults: readonly string[];
}

export function checkLicences(lockfile: Lockfile): LicenceReport {
  const packages = installedOf(lockfile);
  const counts = new Map<string, number>();
  for (const each of packages) {
    const licence = licenceOf(each) ?? 'none';
    counts.set(licence, (counts.get(licence) ?? 0) + 1);
  }
  const names = new Set(packages.map(({ name }) => name));
  const idle = Object.keys(STATED_ELSEWHERE).filter((name) => !names.has(name));
  return {
    packages: packages.length,
    counts: [...counts].sort(([, a], [, b]) => b - a),
    faults: [
      ...packages.filter((each) => !isAllowed(each)).map(faultOf),
      ...idle.map((name) => `${name} is no longer in package-lock.json: take its row out of STATED_ELSEWHERE.`),
    ],
  };
}

function faultOf(each: Installed): string {
  const licence = licenceOf(each);
  const said = licence === undefined ? 'The lockfile names no licence' : `The licence ${licence} is not allowed`;
  return `${said}: ${each.name} ${each.version}, ${each.isTool ? 'a tool' : 'in production'}. See tools/supply/policy.ts.`;
}
