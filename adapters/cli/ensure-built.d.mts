/** Builds when a source has changed since the last build. Throws an Error that says what to do. */
export function ensureBuilt(): Promise<void>;

/** Builds, and records the sources that it built. */
export function writeStamp(build: () => Promise<void>): Promise<void>;
