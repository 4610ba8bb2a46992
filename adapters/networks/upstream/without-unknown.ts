/** The object without unknown fields (T10). */
export function withoutUnknown<T extends object>(fields: { [K in keyof T]-?: T[K] | null | undefined }): T {
  const kept: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== null && value !== undefined) kept[key] = value;
  }
  return kept as T;
}
