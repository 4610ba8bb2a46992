import { afterEach, beforeEach, vi } from 'vitest';

export interface Captured {
  out: string;
  err: string;
}

/** What each test of the file makes this process print, instead of printing it. */
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
