/**
 * What can be said about one thing, and what people answer. Read from text, one line each:
 *
 *   # name | tags: A B | emoji: x y | weight: 3 | plain: yes    a new subject; a plain one gets no applause
 *   >p(winter,spring) text                                       a post: photo (p), video (v) or GIF (g), in season
 *   + text                                                       what its author adds
 *   ?(pattern) reader / author / reader / author                 an exchange; only under posts that match the pattern
 *   "(pattern) text                                              what a quote of the post says
 */
import type { MediaType } from '../src/domain/model.js';
import type { Season } from './vocabulary.js';

export interface DemoPost {
  readonly text: string;
  readonly media: MediaType | null;
  /** Null: all year. */
  readonly seasons: readonly string[] | null;
}

export interface Exchange {
  /** Matches the text of posts that it fits, followed by `<media>` if they have any; null: fits any post. */
  readonly under: RegExp | null;
  readonly turns: readonly string[];
}

export interface Comment {
  readonly under: RegExp | null;
  readonly text: string;
}

export interface Subject {
  readonly name: string;
  readonly tags: readonly string[];
  readonly emoji: readonly string[];
  readonly weight: number;
  readonly plain: boolean;
  readonly posts: DemoPost[];
  readonly more: string[];
  readonly exchanges: Exchange[];
  readonly comments: Comment[];
}

const MEDIA: Readonly<Record<string, MediaType>> = { p: 'photo', v: 'video', g: 'animated_gif' };
const LINE = /^(?<sign>[>+?"])(?<media>[pvg])?(?:\((?<condition>[^)]*)\))? (?<text>.+)$/;

const splitWords = (text: string | undefined): string[] => (text ?? '').split(' ').filter((word) => word !== '');

function openSubject(line: string): Subject {
  const [name = '', ...rest] = line.slice(1).split('|');
  const option = new Map(rest.map((part) => part.split(':', 2).map((side) => side.trim()) as [string, string]));
  return {
    name: name.trim(),
    tags: splitWords(option.get('tags')),
    emoji: splitWords(option.get('emoji')),
    weight: Number(option.get('weight') ?? 1),
    plain: option.get('plain') === 'yes',
    posts: [],
    more: [],
    exchanges: [],
    comments: [],
  };
}

function addLine(subject: Subject, line: string): void {
  const { sign, media = '', condition, text = '' } = LINE.exec(line)?.groups ?? {};
  const under = condition === undefined ? null : new RegExp(condition, 'i');
  if (sign === '>') subject.posts.push({ text, media: MEDIA[media] ?? null, seasons: condition?.split(',') ?? null });
  else if (sign === '+') subject.more.push(text);
  else if (sign === '?') subject.exchanges.push({ under, turns: text.split(' / ') });
  else if (sign === '"') subject.comments.push({ under, text });
  else throw new SyntaxError(`Not a line of a subject: ${line}`);
}

export function readSubjects(text: string): Subject[] {
  const subjects: Subject[] = [];
  for (const line of text.split('\n').filter((candidate) => candidate !== '')) {
    const current = subjects.at(-1);
    if (line.startsWith('#')) subjects.push(openSubject(line));
    else if (current === undefined) throw new SyntaxError(`A line before its subject: ${line}`);
    else addLine(current, line);
  }
  return subjects;
}

const SEASONS: readonly Season[] = ['winter', 'spring', 'summer', 'autumn'];

/** December to February is winter. */
export const seasonAt = (atMs: number): Season =>
  SEASONS[Math.floor(((new Date(atMs).getUTCMonth() + 1) % 12) / 3)] ?? 'winter';
