/** The findings of `npm audit --json` that are not accepted for now. */
import { z } from 'zod';
import { DAY_MS } from '../../src/lib/durations.js';
import { type AcceptedAdvisory, DAYS_TO_MEND, SEVERITIES, type Severity } from './policy.js';

const Advisory = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.enum(SEVERITIES),
});
/** Version 2 of npm's report. `via` also names packages that are affected through others. */
const Report = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), Advisory])) })),
});

export interface Advisory {
  readonly id: string;
  readonly package: string;
  readonly title: string;
  readonly severity: Severity;
}

/** The advisories of a report, each once; null if npm has no report because the registry did not answer. */
export function advisoriesOf(output: string): Advisory[] | null {
  const parsed = Report.safeParse(parseJson(output));
  if (!parsed.success) return null;
  const found = Object.values(parsed.data.vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via !== 'string')
    .map(({ name, title, url, severity }) => ({
      id: url.slice(url.lastIndexOf('/') + 1),
      package: name,
      title,
      severity,
    }));
  return [...new Map(found.map((each) => [`${each.id} ${each.package}`, each])).values()];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface AuditReport {
  readonly accepted: readonly string[];
  readonly faults: readonly string[];
}

/** @param today YYYY-MM-DD */
export function checkAdvisories(
  advisories: readonly Advisory[],
  acceptances: readonly AcceptedAdvisory[],
  today: string,
): AuditReport {
  const accepted: string[] = [];
  const faults: string[] = [];
  for (const advisory of advisories) {
    const { id, severity, title } = advisory;
    const what = `${id} (${severity}) of ${advisory.package}: ${title}`;
    const row = acceptances.find((each) => each.id === id);
    if (row === undefined) faults.push(`${what}. Update it, or accept it for a while in tools/supply/policy.ts.`);
    else if (row.until < today) faults.push(`${what}. It was accepted until ${row.until}.`);
    // Compared in this way so that an invalid date accepts nothing.
    else if (!(daysOf(row) <= DAYS_TO_MEND[severity]))
      faults.push(`${what}. It is accepted for ${daysOf(row)} days; ${DAYS_TO_MEND[severity]} are promised.`);
    else accepted.push(`${what}. Accepted until ${row.until}: ${row.reason}`);
  }
  const ids = new Set(advisories.map(({ id }) => id));
  const idle = acceptances.filter(({ id }) => !ids.has(id));
  faults.push(...idle.map(({ id }) => `${id} is accepted and no longer reported: take its row out of ACCEPTED.`));
  return { accepted, faults };
}

const daysOf = ({ seen, until }: AcceptedAdvisory): number => (Date.parse(until) - Date.parse(seen)) / DAY_MS;
