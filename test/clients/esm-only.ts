import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';

/**
 * What are-the-types-wrong finds in a package that is a module alone, under the tool's own profile `esm-only`: without resolution
 * as of Node 10, and without `require` before Node could load modules by it. Throws for a package without types.
 */
export async function esmOnlyProblems(tarball: Uint8Array): Promise<Problem[]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!analysis.types) throw new Error('There are no types.');
  return analysis.problems.filter((problem) => !('resolutionKind' in problem) || !isLeftOut(problem));
}

/** Narrower than the profile, which leaves out all that is wrong there: what a module alone is by definition. */
const isLeftOut = ({ kind, resolutionKind }: { kind: string; resolutionKind?: string }): boolean =>
  (resolutionKind === 'node16-cjs' && kind === 'CJSResolvesToESM') ||
  (resolutionKind === 'node10' && kind === 'NoResolution');
