/**
 * The archives that npm and pip install. The built program reads both from files instead (`archivesOfClients` in the
 * build).
 */
export const clientArchives = async (): Promise<{ readonly typescript: Buffer; readonly python: Buffer }> =>
  (await import('../../../clients/archives.mjs')).clientArchives();
