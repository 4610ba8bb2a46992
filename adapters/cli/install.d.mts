/** The package's own folder. */
export const PACKAGE_FOLDER: string;

/** Whether a folder lies in another package's node_modules. */
export function isDependency(folder: string): boolean;

/** Installs the packages in the lockfile if they are missing. Throws an Error that says what to do. */
export function ensureInstalled(options?: { folder?: string; dev?: boolean }): Promise<void>;

/** Why an install is needed, as a message; null when it isn't. */
export function missing(folder: string, dev: boolean): string | null;

/**
 * Waits until no other process works in this folder, and shows a message while waiting. Returns a function that ends
 * the turn.
 */
export function takeTurn(folder: string, work: string): Promise<() => void>;
