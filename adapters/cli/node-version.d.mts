/** Ends the process where its Node is too old for anything else of Perch to be loaded. */
export function requireNode(): void;
