/**
 * `npm run -s sbom`: prints the components of the package as CycloneDX: the packages that run in production, and those
 * of the build, parts of which are in the built files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../test/docs/readme/markdown.js';
import { installedOf, readLockfile } from './lockfile.js';

// Not with npm's `--omit=dev`, which also omits production packages that a tool needs.
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
  // npm marks a package as a tool's own even if production has the same one.
  .map(({ properties = [], ...component }: Component) => ({
    ...component,
    properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
  }));
document.dependencies = document.dependencies
  .filter(({ ref }: Dependency) => kept.has(ref))
  .map(({ ref, dependsOn }: Dependency) => ({ ref, dependsOn: dependsOn.filter((to) => kept.has(to)) }));
console.log(JSON.stringify(document, null, 2));
