// The clients as archives that npm and pip install. The same sources give the same bytes on any machine and Node.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zipSync } from 'fflate';
import { builtFiles } from './typescript/build.mjs';

const HERE = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const read = (...path) => readFileSync(join(HERE, ...path));

/** `{ typescript, python }`, as buffers. */
export const clientArchives = () => ({ typescript: tarball(), python: wheel() });

const sorted = (files) => Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));

/** The archive that `npm pack` makes of the folder: the files that npm always adds, and the built ones. */
function tarball() {
  const files = Object.fromEntries(
    ['LICENSE', 'README.md', 'package.json'].map((name) => [name, read('typescript', name)]),
  );
  for (const [name, text] of Object.entries(builtFiles())) files[`dist/${name}`] = Buffer.from(text);
  const members = sorted(files).flatMap(([name, bytes]) => [tarHeader(`package/${name}`, bytes), padded(bytes)]);
  return Buffer.from(gzipSync(Buffer.concat([...members, Buffer.alloc(2 * BLOCK)]), { level: 9, mtime: 0 }));
}

const BLOCK = 512;

const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))]);

/** A header in `ustar` format (POSIX.1-1988): numbers are octal, and the checksum counts its own field as spaces. */
function tarHeader(name, bytes) {
  if (name.length > 100) throw new RangeError(`${name} is too long for a tar header.`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value, at, length) => header.write(value.toString(8).padStart(length - 1, '0'), at);
  header.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(MTIME_SECONDS, 136, 12);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** The time that npm gives every packed file: 26 October 1985, because some tools refuse files of 1970. */
const MTIME_SECONDS = 499_162_500;

/** A pure Python wheel (PEP 427) with the contents that setuptools would pack; a test compares the two. */
function wheel() {
  const project = read('python', 'pyproject.toml').toString();
  const one = (name) => {
    const begin = `${name} = "`;
    const line = project.split('\n').find((each) => each.startsWith(begin));
    if (line === undefined) throw new TypeError(`pyproject.toml does not say the ${name}.`);
    return line.slice(begin.length, -1);
  };
  const listOf = (name) => {
    const [, after = ''] = project.split(`\n${name} = [`);
    const [list = ''] = after.split(']');
    return [...list.matchAll(/"([^"]*)"/g)].map(([, value]) => value);
  };
  const info = `perch_client-${one('version')}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${one('name')}`,
    `Version: ${one('version')}`,
    `Summary: ${one('description')}`,
    `License: ${/^license = (.+)$/m.exec(read('python', 'setup.cfg').toString())?.[1]}`,
    `Keywords: ${listOf('keywords').join(',')}`,
    ...listOf('classifiers').map((each) => `Classifier: ${each}`),
    `Requires-Python: ${one('requires-python')}`,
    'Description-Content-Type: text/markdown',
    'License-File: LICENSE',
    '',
    read('python', 'README.md').toString(),
  ].join('\n');
  const files = {
    [`${info}/LICENSE`]: read('python', 'LICENSE'),
    [`${info}/METADATA`]: Buffer.from(metadata),
    [`${info}/WHEEL`]: Buffer.from('Wheel-Version: 1.0\nGenerator: perch\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    [`${info}/top_level.txt`]: Buffer.from('perch_client\n'),
  };
  const source = join(HERE, 'python', 'src', 'perch_client');
  for (const name of readdirSync(source).filter((each) => /\.(?:py|typed)$/.test(each))) {
    files[`perch_client/${name}`] = readFileSync(join(source, name));
  }
  const record = sorted(files).map(
    ([name, bytes]) => `${name},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}\n`,
  );
  files[`${info}/RECORD`] = Buffer.from(`${record.join('')}${info}/RECORD,,\n`);
  return Buffer.from(zipSync(Object.fromEntries(sorted(files)), { level: 9, mtime: new Date(1985, 9, 26) }));
}
