/** The package's own folder. */
export const PACKAGE_FOLDER: string;

/** Whether a folder lies in another package's node_modules. */
export function isDependency(folder: string): boolean;

/** Installs what the lockfile names when it isn't there. Throws an Error that says what to do. */
export function ensureInstalled(options?: { folder?: string; dev?: boolean }): Promise<void>;

/** Why an install is needed, in words; null when it isn't. */
export function missing(folder: string, dev: boolean): string | null;

/** Waits until no other process is at work in this folder; says so meanwhile. Gives what ends this one's turn. */
export function takeTurn(folder: string, work: string): Promise<() => void>;
