/** Ends the process if its Node is too old to load anything else of Perch. */
export function requireNode(): void;
