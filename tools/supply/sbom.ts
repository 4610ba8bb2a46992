/**
 * `npm run -s sbom`: what the package is made of, as CycloneDX, on standard output: the packages that run in production,
 * and those of the build, parts of which are in what is built.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../test/docs/readme/markdown.js';
import { installedOf, readLockfile } from './lockfile.js';

// Without npm's own `--omit=dev`: that leaves out whatever a tool needs, too.
const ARGUMENTS = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const MAX_BYTES = 64 * 1024 * 1024;

interface Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string }[];
}
interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

const document = JSON.parse(execFileSync('npm', ARGUMENTS, { cwd: ROOT, encoding: 'utf8', maxBuffer: MAX_BYTES }));
// npm names the component after the folder of the clone.
document.metadata.component.name = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).name;

const kept = new Set<string>([document.metadata.component['bom-ref'], 'perch-build@0.0.0']);
for (const { name, version, isTool } of installedOf(readLockfile())) if (!isTool) kept.add(`${name}@${version}`);

document.components = document.components
  .filter((component: Component) => kept.has(component['bom-ref']))
  // npm marks what one tool has as its own, even where production has the same.
  .map(({ properties = [], ...component }: Component) => ({
    ...component,
    properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
  }));
document.dependencies = document.dependencies
  .filter(({ ref }: Dependency) => kept.has(ref))
  .map(({ ref, dependsOn }: Dependency) => ({ ref, dependsOn: dependsOn.filter((to) => kept.has(to)) }));
console.log(JSON.stringify(document, null, 2));
