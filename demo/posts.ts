/** The posts that start conversations, and what their authors add to them. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/durations.js';
import type { DemoAccount } from './account.js';
import { type Draft, draft, reply, type Topic } from './draft.js';
import { type Chance, Urn } from './random.js';
import { readSubjects, type Subject } from './subjects.js';
import { LANGUAGES, readText, requireKind } from './vocabulary.js';
import type { Writer } from './writer.js';

/** About eighteen months. */
const SPAN_DAYS = 545;
/** The number of posts from the last minutes, so that a new network looks alive. */
const JUST_NOW = 8;

/** What an account can write about. */
export class Subjects {
  private readonly urns = new Map<string, Urn<Subject>>();

  of(account: DemoAccount, chance: Chance): Urn<Subject> {
    const { lang } = account.voice;
    return LANGUAGES.includes(lang) && chance.happens(0.75)
      ? this.urn(lang, [lang])
      : this.urn(account.kind, requireKind(account.kind).subjects);
  }

  private urn(key: string, files: readonly string[]): Urn<Subject> {
    const read = (): Subject[] => files.flatMap((file) => readSubjects(readText(`subjects/${file}.txt`)));
    const urn = this.urns.get(key) ?? new Urn(read(), ({ weight }) => weight);
    this.urns.set(key, urn);
    return urn;
  }
}

/** A time at which an account of this kind would post; recent times are likelier. */
function postTime(account: DemoAccount, nowMs: number, chance: Chance): number {
  const [opens, closes] = requireKind(account.kind).hours;
  const day = Math.floor(nowMs / DAY_MS) * DAY_MS - Math.floor(SPAN_DAYS * chance.unit() ** 1.25) * DAY_MS;
  const hour = opens + (closes - opens) * ((chance.unit() + chance.unit()) / 2);
  const atMs = Math.floor(day + hour * HOUR_MS + chance.int(MINUTE_MS));
  return atMs <= nowMs - 2 * MINUTE_MS ? atMs : atMs - 2 * DAY_MS;
}

export interface Pen {
  readonly chance: Chance;
  readonly writer: Writer;
  readonly subjects: Subjects;
  readonly nowMs: number;
}

function opening(author: DemoAccount, atMs: number, { chance, writer, subjects }: Pen): Draft {
  const subject = subjects.of(author, chance).draw(chance);
  const post = writer.nextPost(author, subject, atMs);
  const topic: Topic = { subject, bound: new Map([['town', author.town]]), said: new Set() };
  if ((!author.institution || REGIONAL.has(author.kind)) && chance.happens(0.4)) topic.bound.delete('town');
  const text = writer.adorned(writer.say(post.text, author, topic, atMs), author, subject);
  const foreign = subject.name in FOREIGN ? author.voice.lang : 'en';
  return draft({ author, atMs, text, topic, media: post.media, lang: foreign });
}

/** Kinds that speak for the whole coast; other institutions speak for their own town. */
const REGIONAL: ReadonlySet<string> = new Set(['newspaper', 'weather', 'railway']);

const FOREIGN: Readonly<Record<string, true>> = { jours: true, dias: true, tage: true };

/** A self-reply thread: another line some minutes later. */
function* additions(post: Draft, { chance, writer, nowMs }: Pen): Generator<Draft> {
  const { author, topic } = post;
  if (topic === null || !chance.happens(0.22)) return;
  let last = post;
  for (const template of chance.shuffled(topic.subject.more).slice(0, 1 + chance.int(3))) {
    const atMs = last.atMs + MINUTE_MS + chance.int(25 * MINUTE_MS);
    if (atMs > nowMs) return;
    last = reply(last, { author, atMs, topic, text: writer.say(template, author, topic, atMs) });
    yield last;
  }
}

export function makePosts(accounts: readonly DemoAccount[], count: number, pen: Pen): Draft[] {
  const { chance, nowMs } = pen;
  const authors = new Urn(
    accounts.filter((account) => !account.protected),
    ({ activity }) => activity,
  );
  const drafts: Draft[] = [];
  while (drafts.length < count) {
    const author = authors.draw(chance);
    const atMs =
      drafts.length < JUST_NOW
        ? nowMs - MINUTE_MS * (2 + 4 * drafts.length) - chance.int(MINUTE_MS)
        : postTime(author, nowMs, chance);
    const post = opening(author, atMs, pen);
    drafts.push(post, ...additions(post, pen));
  }
  return drafts.slice(0, count);
}
