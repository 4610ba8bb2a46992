export const REPAIRED_FILE: RegExp;
export function repaired(text: string, path: string): string;
