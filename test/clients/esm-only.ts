import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';

/**
 * The problems that are-the-types-wrong finds in a package that is ESM only. Like the tool's profile `esm-only`, it leaves
 * out resolution as of Node 10, and `require` before Node could load modules by it. Throws for a package without types.
 */
export async function esmOnlyProblems(tarball: Uint8Array): Promise<Problem[]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!analysis.types) throw new Error('There are no types.');
  return analysis.problems.filter((problem) => !('resolutionKind' in problem) || !isLeftOut(problem));
}

/** Leaves out only what follows from being ESM only, while the profile leaves out every problem in those modes. */
const isLeftOut = ({ kind, resolutionKind }: { kind: string; resolutionKind?: string }): boolean =>
  (resolutionKind === 'node16-cjs' && kind === 'CJSResolvesToESM') ||
  (resolutionKind === 'node10' && kind === 'NoResolution');
