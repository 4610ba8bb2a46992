/** A known advisory fails the check unless it is accepted with a reason, for no longer than SECURITY.md promises. */
import { expect, test } from 'vitest';
import { type Advisory, advisoriesOf, checkAdvisories } from '../../../tools/supply/advisories.js';
import { type AcceptedAdvisory, DAYS_TO_MEND } from '../../../tools/supply/policy.js';
import { readPage } from '../../docs/readme/markdown.js';

const ADVISORY: Advisory = { id: 'GHSA-aaaa-bbbb-cccc', package: 'uuid', title: 'Guessable', severity: 'high' };
const WHAT = 'GHSA-aaaa-bbbb-cccc (high) of uuid: Guessable';
const ROW: AcceptedAdvisory = { id: ADVISORY.id, reason: 'No guess matters.', seen: '2026-01-01', until: '2026-01-31' };

test('fails on an advisory that was not accepted', () => {
  const { faults, accepted } = checkAdvisories([ADVISORY], [], '2026-01-02');
  expect(faults).toEqual([`${WHAT}. Update it, or accept it for a while in tools/supply/policy.ts.`]);
  expect(accepted).toEqual([]);
});

test('reports an accepted advisory with its reason until its last day, and fails after it', () => {
  const expected = { accepted: [`${WHAT}. Accepted until 2026-01-31: No guess matters.`], faults: [] };
  expect(checkAdvisories([ADVISORY], [ROW], '2026-01-31')).toEqual(expected);
  expect(checkAdvisories([ADVISORY], [ROW], '2026-02-01').faults).toEqual([
    `${WHAT}. It was accepted until 2026-01-31.`,
  ]);
});

test('accepts none for longer than is promised for its severity', () => {
  expect(checkAdvisories([ADVISORY], [{ ...ROW, until: '2026-02-01' }], '2026-01-02').faults).toEqual([
    `${WHAT}. It is accepted for 31 days; 30 are promised.`,
  ]);
  expect(checkAdvisories([{ ...ADVISORY, severity: 'critical' }], [ROW], '2026-01-02').faults).toHaveLength(1);
  expect(checkAdvisories([{ ...ADVISORY, severity: 'low' }], [ROW], '2026-01-02').faults).toEqual([]);
});

test('accepts nothing for an invalid date', () => {
  expect(checkAdvisories([ADVISORY], [{ ...ROW, seen: 'lately' }], '2026-01-02').faults).toHaveLength(1);
  expect(checkAdvisories([ADVISORY], [{ ...ROW, until: 'soon' }], '2026-01-02').faults).toHaveLength(1);
});

test('fails on an acceptance whose advisory is no longer reported', () => {
  expect(checkAdvisories([], [ROW], '2026-01-02').faults).toEqual([
    'GHSA-aaaa-bbbb-cccc is accepted and no longer reported: take its row out of ACCEPTED.',
  ]);
});

test('counts each advisory of a report once, and claims nothing without a report', () => {
  const via = {
    name: 'uuid',
    title: 'Guessable',
    url: `https://example.org/advisories/${ADVISORY.id}`,
    severity: 'high',
  };
  const vulnerabilities = { uuid: { via: [via] }, above: { via: ['uuid'] }, again: { via: [via] } };
  expect(advisoriesOf(JSON.stringify({ auditReportVersion: 2, vulnerabilities }))).toEqual([ADVISORY]);
  expect(advisoriesOf('{"auditReportVersion":2,"vulnerabilities":{}}')).toEqual([]);
  expect(advisoriesOf('{"message":"405 Method Not Allowed"}')).toBeNull();
  expect(advisoriesOf('')).toBeNull();
});

test('has the same days as SECURITY.md', () => {
  const page = readPage('SECURITY.md');
  const { critical, high, moderate, low } = DAYS_TO_MEND;
  expect([moderate, low]).toEqual([90, 90]);
  expect(page).toContain(`| critical | ${critical} days |`);
  expect(page).toContain(`| high | ${high} days |`);
  expect(page).toContain(`| moderate, low | ${moderate} days |`);
});
