export function bundleForTests(entry: string, outfile: string): Promise<void>;
