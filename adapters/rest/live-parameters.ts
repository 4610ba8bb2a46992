import type { List, ListRead } from '../../src/domain/lists.js';

/** Lists of one stream: their positions have to fit in a header, which proxies cut at 8 KiB. */
export const MOST_LISTS = 50;

const SUBJECTS: Readonly<Partial<Record<List['subject'], string>>> = { user: 'user', query: 'q' };

/** The parameter that names a list's subject. Each may be sent more than once. */
export const liveParameter = ({ list, path }: Pick<ListRead, 'list' | 'path'>): string =>
  SUBJECTS[list.subject] ?? path;
