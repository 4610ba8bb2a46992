import type { FastifyInstance } from 'fastify';
import { CLIENT_PACKAGES } from '../../../src/domain/version.js';
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

/**
 * Mounts the downloads that save writing calls by hand: the clients, and collections of all reads. Each is made once.
 */
export function mountDownloads(app: FastifyInstance, { admitPublic, describe }: DownloadOptions): void {
  const keyless = createPublic(app, admitPublic);
  const add = (path: string, type: string, make: () => Promise<string | Buffer>): void => {
    const body = lazily(async () => staticBody(type, await make()));
    keyless(path, async (request, reply) => sendStatic(request, reply, await body.get()));
  };
  const archives = lazily(clientArchives);
  add(CLIENT_PACKAGES.typescript, 'application/gzip', async () => (await archives.get()).typescript);
  add(CLIENT_PACKAGES.python, 'application/zip', async () => (await archives.get()).python);
  const collected = (make: (folders: readonly Folder[], baseUrl: string) => string | Buffer) => async () =>
    make(requestFolders(describe()), app.baseUrl);
  add('/perch.postman_collection.json', 'application/json; charset=utf-8', collected(postmanCollection));
  add('/perch.bruno.zip', 'application/zip', collected(brunoArchive));
}
