/** Something that is loaded when it is first asked for. */
export interface Lazy<T> {
  /** Loads it, or gives what was loaded. A failure is forgotten: the next to ask tries again. */
  get(): Promise<T>;
  /** What was asked for so far, for whoever has to close it. */
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
