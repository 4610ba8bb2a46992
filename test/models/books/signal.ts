export interface Signal {
  readonly fired: Promise<void>;
  readonly fire: () => void;
}

export function signal(): Signal {
  let fire = (): void => {};
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire };
}
