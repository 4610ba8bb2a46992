import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../../src/domain/version.js';
import { lazily } from '../../../src/lib/lazily.js';
import { sendStatic, staticBody } from '../../http/bodies/static-body.js';
import { type AdmitPublic, createPublic } from '../../http/keyless.js';
import type { OpenapiDocument } from '../openapi/types.js';
import { brunoArchive } from './bruno.js';
import { clientArchives } from './client-archives.js';
import { postmanCollection } from './postman.js';
import { type Folder, requestFolders } from './requests.js';

export interface DownloadOptions {
  readonly admitPublic: AdmitPublic;
  readonly describe: () => OpenapiDocument;
}

/** Where a file is fetched: pip reads the version from the name, and the address is in what people copy. */
export const DOWNLOADS = {
  typescript: `/clients/perch-client-${VERSION}.tgz`,
  python: `/clients/perch_client-${VERSION}-py3-none-any.whl`,
  postman: '/perch.postman_collection.json',
  bruno: '/perch.bruno.zip',
} as const;

/** What programs are given instead of writing calls by hand: the clients, and the reads as collections. Each is made once. */
export function mountDownloads(app: FastifyInstance, { admitPublic, describe }: DownloadOptions): void {
  const keyless = createPublic(app, admitPublic);
  const add = (path: string, type: string, make: () => Promise<string | Buffer>): void => {
    const body = lazily(async () => staticBody(type, await make()));
    keyless(path, async (request, reply) => sendStatic(request, reply, await body.get()));
  };
  const archives = lazily(clientArchives);
  add(DOWNLOADS.typescript, 'application/gzip', async () => (await archives.get()).typescript);
  add(DOWNLOADS.python, 'application/zip', async () => (await archives.get()).python);
  const collected = (make: (folders: readonly Folder[], baseUrl: string) => string | Buffer) => async () =>
    make(requestFolders(describe()), app.baseUrl);
  add(DOWNLOADS.postman, 'application/json; charset=utf-8', collected(postmanCollection));
  add(DOWNLOADS.bruno, 'application/zip', collected(brunoArchive));
}
