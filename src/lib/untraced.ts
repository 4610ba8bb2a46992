/** A `Tracing` that records nothing. */
export const UNTRACED = {
  here: (): undefined => undefined,
  span: <T>(_name: string, _attributes: object, run: () => Promise<T>): Promise<T> => run(),
};
