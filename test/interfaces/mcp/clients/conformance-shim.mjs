/**
 * The conformance suites import `globSync` from `fs`, which Node has from version 22 on, for commands that are not run
 * here. With this shim they run on every Node that Perch supports.
 */
import { register } from 'node:module';

const FS = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];`;
const HOOK = `
const FS = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(FS)}`)};
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && /conformance/.test(context.parentURL ?? '')
    ? { url: FS, shortCircuit: true }
    : next(specifier, context);
`;

const major = Number(process.versions.node.split('.')[0]);
if (major < 22) register(`data:text/javascript,${encodeURIComponent(HOOK)}`, import.meta.url);
