/** Ends the process if its Node is too old to load anything else of Perch. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`perch: needs Node 20.19 or newer; this is ${process.version} (${process.execPath})\n`);
  process.exit(2);
}
