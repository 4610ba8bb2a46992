/** A call as it is sent, and what its answer says, in one form for all three interfaces. */
import { ROWS, SUBJECTS } from '../calls/world.js';
import type { CallParams, ReadRequest } from './steps.js';

export interface SeenRead {
  readonly code: string | null;
  readonly ids: readonly string[];
  readonly errors: readonly string[];
  readonly label: string;
  readonly hits: number | null;
  readonly truncated: string | null;
  readonly next: string | null;
  readonly nested: readonly SeenRead[];
}

export interface Seen {
  readonly requestId: string;
  readonly code: string | null;
  /** In thousandths, as all amounts here. */
  readonly charged: number;
  readonly balance: number | null;
  readonly reads: readonly SeenRead[];
  readonly label: string;
  readonly headers: Headers;
  readonly estimate: number | null;
}

/** The call as it is sent, with the cursors of the service. */
export interface Sent extends CallParams {
  readonly cursors: readonly (string | null)[];
  readonly estimate?: boolean;
  readonly signal?: AbortSignal;
}

/** The argument that names a list's subject: a user by id or handle, a query in either spelling (P9). */
export function subjectIn({ kind, byHandle, isSpaced }: Extract<ReadRequest, { read: 'list' }>): SubjectArgument {
  const subject = SUBJECTS[kind];
  switch (ROWS[kind].of) {
    case 'user':
      return { user: byHandle ? handle(subject) : subject };
    case 'tweet':
      return { id: subject };
    case 'query': {
      const q = isSpaced ? ` ${subject.replace(' ', '   ')} ` : subject;
      return kind === 'people' ? { q, product: 'People' } : { q };
    }
  }
}

export interface SubjectArgument {
  readonly user?: string;
  readonly id?: string;
  readonly q?: string;
  readonly product?: string;
}

export const thousandths = (credits: number | undefined): number => Math.round((credits ?? 0) * 1000);
export const handle = (id: string): string => `user${id}`;

/** Batches repeat their inputs as they were sent. */
export const idOfInput = (input: string): string => input.replace(/^user/, '');
