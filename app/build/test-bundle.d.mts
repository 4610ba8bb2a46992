export function bundleForTests(
  entry: string,
  outfile: string,
  changed?: Readonly<Record<string, string>>,
): Promise<void>;
