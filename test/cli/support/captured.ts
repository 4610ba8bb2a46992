import { afterEach, beforeEach, vi } from 'vitest';

export interface Captured {
  out: string;
  err: string;
}

/** Captures what each test of the file would make this process print. */
export function captureOutput(): Captured {
  const captured: Captured = { out: '', err: '' };
  beforeEach(() => {
    captured.out = '';
    captured.err = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      captured.out += String(text);
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      captured.err += String(text);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return captured;
}
