/** `npm run supply`: checks licences in the lockfile, and known advisories if the registry answers. Fails with 1. */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../../test/docs/readme/markdown.js';
import { advisoriesOf, checkAdvisories } from './advisories.js';
import { checkLicences } from './licences.js';
import { readLockfile } from './lockfile.js';
import { ACCEPTED } from './policy.js';

const AUDIT_MS = 60_000;

const licences = checkLicences(readLockfile());
const counts = licences.counts.map(([licence, packages]) => `${packages} ${licence}`).join(', ');
console.log(`Licences of ${licences.packages} packages: ${counts}.`);

// The exit code adds nothing to the report.
const audit = spawnSync('npm', ['audit', '--json'], { cwd: ROOT, encoding: 'utf8', timeout: AUDIT_MS });
const advisories = advisoriesOf(audit.stdout ?? '');
const faults = [...licences.faults];
if (advisories === null) {
  const [why = ''] = /^npm (?:error|warn) audit .*$/m.exec(audit.stderr ?? '') ?? [];
  console.log(`Advisories: NOT CHECKED, because the registry did not answer; licences only. ${why}`.trim());
} else {
  const report = checkAdvisories(advisories, ACCEPTED, new Date().toISOString().slice(0, 10));
  console.log(`Advisories: ${advisories.length} known, ${report.accepted.length} of them accepted.`);
  for (const text of report.accepted) console.log(text);
  faults.push(...report.faults);
}
for (const text of faults) console.error(text);
process.exitCode = faults.length > 0 ? 1 : 0;
