import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openapiDocument, openapiYaml } from '../../../adapters/rest/openapi/document.js';
import { OPTIONS } from './subject.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const REDOCLY = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };

it.each(['https://perch.test', 'http://127.0.0.1:4000'])(
  'Redocly finds nothing in the document of %s',
  async (baseUrl) => {
    const folder = await mkdtemp(join(tmpdir(), 'perch-openapi-'));
    try {
      await writeFile(
        join(folder, 'openapi.yaml'),
        await openapiYaml(openapiDocument({ ...OPTIONS, baseUrl, authUrl: baseUrl })),
      );
      const { stdout } = await run(process.execPath, [REDOCLY, 'lint', 'openapi.yaml', '--format=json'], {
        cwd: folder,
        env: { ...process.env, ...QUIET },
      });
      const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: object[] };
      expect(problems).toEqual([]);
      expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
