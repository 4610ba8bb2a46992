/** A store whose first `add` is written, and whose caller hears of a lost connection instead. */
export function losingFirstAnswer<Store extends { add(...batch: never[]): Promise<void> }>(store: Store): Store {
  let isLost = false;
  const add = async (...batch: never[]): Promise<void> => {
    await store.add(...batch);
    if (isLost) return;
    isLost = true;
    throw new Error('The connection was lost.');
  };
  return { ...store, add };
}
