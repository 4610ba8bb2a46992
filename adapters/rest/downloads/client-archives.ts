/** What npm and pip install. The build makes both, and the built program reads them from beside it (`clientFiles` of the build). */
export const clientArchives = async (): Promise<{ readonly typescript: Buffer; readonly python: Buffer }> =>
  (await import('../../../clients/archives.mjs')).clientArchives();
