/** The night of the comet: tweets with fixed times, and so with fixed ids, whatever else the seed produces. */
import { DAY_MS, MINUTE_MS } from '../src/lib/durations.js';
import type { DemoAccount } from './account.js';
import { type Draft, draft, reply, type Topic } from './draft.js';
import { CELEBRATED_MS, THREAD_MS } from './entry-points.js';
import { type Chance, Urn } from './random.js';
import type { Society } from './society.js';
import { retweet } from './spread.js';
import { CELEBRATED, CHORUS, readText } from './vocabulary.js';
import type { Writer } from './writer.js';

/** The most days for which replies, quotes and retweets of the picture continue. */
const ECHO_DAYS = 60;
const QUOTES = 180;
const RETWEETS = 900;
const FAME = { likes: 3_412_907, views: 2_418_730_662 };

const LINE = /^(?<indent> *)(?<speaker>\w+) (?<minutes>\d+)> (?<text>.+)$/;

export class Classics {
  private readonly topic: Topic = {
    subject: {
      name: 'comet',
      tags: ['comet'],
      emoji: [],
      weight: 1,
      plain: false,
      posts: [],
      more: [],
      exchanges: [],
      comments: [],
    },
    bound: new Map(),
    said: new Set(),
  };

  constructor(
    private readonly observatory: DemoAccount,
    private readonly society: Society,
    private readonly writer: Writer,
    private readonly chance: Chance,
  ) {}

  thread(): Draft[] {
    const cast = new Map<string, DemoAccount>([['obs', this.observatory]]);
    for (const account of this.society.accounts.filter(({ reach }) => reach !== null))
      cast.set(account.handle, account);
    const path: Draft[] = [];
    const drafts: Draft[] = [];
    for (const line of readText('comet-night.txt').trim().split('\n')) {
      const { indent = '', speaker = '', minutes = '', text = '' } = LINE.exec(line)?.groups ?? {};
      const author = cast.get(speaker) ?? this.stranger(cast);
      cast.set(speaker, author);
      const level = indent.length / 2;
      const parent = path[level - 1];
      const offsetMs = Number(minutes) * MINUTE_MS;
      const atMs = THREAD_MS + (offsetMs === 0 ? 0 : offsetMs + this.chance.int(MINUTE_MS));
      const next = parent === undefined ? draft({ author, atMs, text }) : reply(parent, { author, atMs, text });
      path.splice(level, path.length, next);
      drafts.push(next);
    }
    return drafts;
  }

  celebrated(): Draft[] {
    const author = this.observatory;
    const picture = draft({ author, atMs: CELEBRATED_MS, text: CELEBRATED.text, media: 'photo', fame: FAME });
    return [picture, ...this.replies(picture), ...this.quotes(picture), ...this.retweets(picture)];
  }

  private *replies(picture: Draft): Generator<Draft> {
    for (const line of [...CELEBRATED.replies, ...CHORUS.applause]) {
      const reader = this.society.reader(this.observatory, this.chance);
      const bound = new Map<string, string>();
      let last = picture;
      for (const [index, template] of line.split(' / ').entries()) {
        const author = index % 2 === 0 ? reader : this.observatory;
        const atMs = last === picture ? this.echoMs() : last.atMs + MINUTE_MS + this.chance.int(90 * MINUTE_MS);
        last = reply(last, { author, atMs, text: this.line(template, author, atMs, bound) });
        yield last;
      }
    }
  }

  private *quotes(quoted: Draft): Generator<Draft> {
    for (let index = 0; index < QUOTES; index += 1) {
      const author = this.society.reader(this.observatory, this.chance);
      const atMs = this.echoMs();
      const template = CELEBRATED.quotes[index % CELEBRATED.quotes.length] ?? '';
      const text = this.writer.adorned(this.line(template, author, atMs), author, this.topic.subject);
      yield draft({ author, atMs, quoted, text });
    }
  }

  private *retweets(picture: Draft): Generator<Draft> {
    const everyone = this.chance.shuffled(this.society.accounts.filter((account) => !account.protected));
    for (const account of everyone.filter((reader) => reader !== this.observatory).slice(0, RETWEETS))
      yield retweet(account, picture, this.echoMs());
  }

  private line(template: string, speaker: DemoAccount, atMs: number, bound = new Map<string, string>()): string {
    return this.writer.say(template, speaker, { ...this.topic, bound }, atMs);
  }

  /** Most within a day, the last after two months. */
  private echoMs(): number {
    const days = Math.min(ECHO_DAYS - 2, this.chance.skewed(-0.9, 1.5));
    return CELEBRATED_MS + MINUTE_MS + Math.floor(days * DAY_MS);
  }

  private stranger(cast: ReadonlyMap<string, DemoAccount>): DemoAccount {
    const known = new Set(cast.values());
    const people = this.society.accounts.filter(
      (account) => !(account.institution || account.protected || known.has(account)),
    );
    return new Urn(people, ({ activity }) => activity).draw(this.chance);
  }
}
