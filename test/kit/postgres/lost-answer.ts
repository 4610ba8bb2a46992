/** A store that writes its first `add`, but tells the caller that the connection was lost. */
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
