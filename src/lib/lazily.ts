/** A value that is loaded on first use. */
export interface Lazy<T> {
  /** Loads the value, or returns the one already loaded. A failure is not kept: the next call tries again. */
  get(): Promise<T>;
  /** The value if it was loaded or is loading, so that it can be closed. */
  peek(): Promise<T> | undefined;
}

export function lazily<T>(load: () => Promise<T>): Lazy<T> {
  let loaded: Promise<T> | undefined;
  return {
    get() {
      if (loaded !== undefined) return loaded;
      const loading = load();
      loaded = loading;
      loading.catch(() => {
        loaded = undefined;
      });
      return loading;
    },
    peek: () => loaded,
  };
}
