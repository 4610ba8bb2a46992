/** Ends the process where its Node is too old for anything else of Perch to be loaded. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`perch: needs Node 20.19 or newer; this is ${process.version} (${process.execPath})\n`);
  process.exit(2);
}
