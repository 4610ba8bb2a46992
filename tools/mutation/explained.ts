/** A change that no test can notice, or none has to. */
interface Explained {
  readonly file: string;
  /** What stands in the place, and what is put there; on one line each. */
  readonly original: string;
  readonly replacement: string;
  /** How many such places the file has (default: 1). */
  readonly places?: number;
  readonly why: string;
}

const CURSOR = 'src/read/cursor.ts';
const ENTITIES = 'src/read/entities.ts';
const FILL = 'src/read/fill.ts';
const GROUP_COMMIT = 'adapters/postgres/ledger/group-commit.ts';
const IDENTIFY = 'src/access/identify.ts';
const KEY_HASHES = 'src/access/identify.ts';
const LEDGER = 'adapters/postgres/ledger/ledger.ts';
const PLAIN_DEBITS = 'adapters/postgres/ledger/plain-debits.ts';
const LOAD = 'src/read/load-within-budget.ts';
const POST = 'adapters/postgres/ledger/post.ts';
const PAGES = 'src/read/pages.ts';
const READS = 'src/read/reads.ts';
const REMEMBERED_KEYS = 'adapters/postgres/ledger/remembered-keys.ts';
const TOMBSTONES = 'src/read/tombstones.ts';
const WORK_SLOTS = 'src/access/work-slots.ts';
const COST_BOOK = 'src/figures/cost-book.ts';
const OPERATION_NAMES = 'src/metering/operation-names.ts';
const SEQUENCER = 'src/metering/meter.ts';
const RECEIPT = 'src/metering/receipt.ts';
const WALLET = 'src/metering/wallet.ts';
const SAME_ENTRY = 'an entry has one balance: of two figures with its number, either is right';
const NOTHING_ON_ITS_WAY = 'the way below comes to the same where nothing is on its way; this one is shorter';
const KEPT_LONGER =
  'what is kept longer than needed has a number, by which no later figure counts it; it costs memory until the next figure';

const HIDDEN = 'a copy that stays is hidden by its tombstone, which lives longer';
const ASKS_FOR_MORE = 'asks about more keys than it has to; they are cached, so that what it is told is not looked at';
const FULL = 'what is full has an oldest entry';
const SAME_DAY = 'the day is found again for each read, which costs processor time';
const NONE_OF_NONE = 'there is none among none; asking for the number first costs less';
const PARKED_IS_LOCKED = 'only partitions that have a lock are parked';
const TAKES_NOTHING = 'it takes nothing more from partitions that are in the flush already';
const TOO_LONG = 'no cursor of ours is as long; what is longer is refused before it is decoded, which costs more';

export const EXPLAINED: readonly Explained[] = [
  { file: REMEMBERED_KEYS, original: 'oldest !== undefined', replacement: 'true', places: 2, why: FULL },
  {
    ...{ file: REMEMBERED_KEYS, original: 'seenAtMs === undefined', replacement: 'false' },
    why: 'a key without a time is at no time within the minute',
  },
  {
    ...{ file: LEDGER, original: 'granted !== undefined', replacement: 'false' },
    why: 'the entry is read again, which costs a query; the balance in it is the same',
  },
  {
    ...{ file: PLAIN_DEBITS, original: 'payers.length === 0', replacement: 'false' },
    why: 'the statement posts nothing for no wallet; not to send it saves its time',
  },
  {
    ...{ file: PLAIN_DEBITS, original: '{ prepare: true }', replacement: '{}' },
    why: 'a statement that is not prepared is planned each time, which costs processor time',
  },
  {
    ...{ file: PLAIN_DEBITS, original: 'true', replacement: 'false' },
    why: 'a statement that is not prepared is planned each time, which costs processor time',
  },
  {
    ...{ file: PLAIN_DEBITS, original: 'requestId < payer.firstId', replacement: 'requestId <= payer.firstId' },
    why: 'the same id is the least as well',
  },
  { file: CURSOR, original: 'cursor.length > MAX_CURSOR_LENGTH', replacement: 'false', why: TOO_LONG },
  {
    ...{ file: CURSOR, original: 'cursor.length > MAX_CURSOR_LENGTH' },
    ...{ replacement: 'cursor.length >= MAX_CURSOR_LENGTH', why: TOO_LONG },
  },
  {
    ...{ file: PAGES, original: 'answer.next !== null', replacement: 'true' },
    why: 'the end of a list is no place, so that nothing leads back to it',
  },
  {
    ...{ file: PAGES, original: 'answer.size !== undefined', replacement: 'true' },
    why: 'a size of undefined is no size',
  },
  {
    ...{ file: PAGES, original: '[]', replacement: '["Stryker was here"]', places: 5 },
    why: 'what is no object has no id, and is cached under none that anybody asks for',
  },
  {
    ...{ file: ENTITIES, original: '[]', replacement: '["Stryker was here"]', places: 2 },
    why: 'what is no promise is not waited for, and what is told of no key is not looked at',
  },
  { file: ENTITIES, original: '[key]', replacement: '[]', why: 'what is not cached needs no deletion' },
  { file: ENTITIES, original: 'cached !== undefined', replacement: 'false', why: HIDDEN },
  { file: ENTITIES, original: 'mayBeCached', replacement: 'false', why: HIDDEN },
  { file: ENTITIES, original: 'mayBeCached', replacement: 'true', why: 'deletes what is not there' },
  { file: ENTITIES, original: '[ref]', replacement: '[]', why: 'reads what another process has just read' },
  {
    ...{ file: ENTITIES, original: 'keys.filter((_, index) => cachedAt(index) === undefined)', replacement: 'keys' },
    why: ASKS_FOR_MORE,
  },
  { file: ENTITIES, original: 'cachedAt(index) === undefined', replacement: 'true', why: ASKS_FOR_MORE },
  { file: ENTITIES, original: 'missing.length > 0', replacement: 'true', why: ASKS_FOR_MORE },
  { file: ENTITIES, original: 'missing.length > 0', replacement: 'missing.length >= 0', why: ASKS_FOR_MORE },
  {
    ...{ file: FILL, original: '[]', replacement: '["Stryker was here"]' },
    why: 'a page leads on only after it has items, and then something was passed',
  },
  { file: FILL, original: '!item', replacement: 'false', why: 'each index of a page has an item' },
  {
    ...{ file: LOAD, original: 'results.length < requests.length', replacement: 'results.length <= requests.length' },
    why: 'a round of nothing ends at once',
  },
  {
    ...{ file: LOAD, original: 'delivered.length < run.length', replacement: 'false' },
    why: 'the next round can pay for nothing, and ends',
  },
  {
    ...{ file: LOAD, original: 'results.length + i', replacement: 'results.length - i' },
    why: 'what is cached is found again as it is read, at the same price',
  },
  { file: LOAD, original: '!one', replacement: 'false', why: 'there is one for each request' },
  {
    ...{ file: LOAD, original: 'i < cached.length', replacement: 'i <= cached.length' },
    why: 'whether money is left for one more than there are changes nothing',
  },
  {
    ...{ file: FILL, original: 'true', replacement: 'false' },
    why: 'whether it goes on is asked of a page that has one before it, and this one has none',
  },
  {
    ...{ file: READS, original: '[ref]', replacement: '[]' },
    why: 'the read looks in the cache, too; looking first costs less',
  },
  {
    ...{ file: TOMBSTONES, original: 'digestOf(accountId).slice(0, OWNER_LENGTH)' },
    ...{ replacement: 'digestOf(accountId)', why: 'a longer name is of the same account; it costs memory' },
  },
  { file: TOMBSTONES, original: 'keys.size > 0', replacement: 'true', why: NONE_OF_NONE },
  { file: TOMBSTONES, original: 'keys.size > 0', replacement: 'keys.size >= 0', why: NONE_OF_NONE },
  {
    ...{ file: KEY_HASHES, original: 'key.length !== KEY_CHARS', replacement: 'false' },
    why: 'what is of another length is not well-formed either; this one costs less',
  },
  {
    ...{ file: KEY_HASHES, original: 'hash !== undefined', replacement: 'false' },
    why: 'the same hash is computed anew; it costs processor time',
  },
  {
    ...{ file: IDENTIFY, original: 'hashHex === null', replacement: 'false' },
    why: 'where it is asked what is known, nothing is known of a key without a hash; this one costs less',
  },
  {
    ...{ file: WORK_SLOTS, original: 'this.#holder?.name', replacement: 'this.#holder.name' },
    why: 'a slot that was taken has a holder',
  },
  {
    ...{ file: COST_BOOK, original: 'now < this.#today.fromMs || now >= this.#today.fromMs + DAY_MS' },
    ...{ replacement: 'true', why: SAME_DAY },
  },
  {
    ...{ file: COST_BOOK, original: 'now < this.#today.fromMs', replacement: 'now <= this.#today.fromMs' },
    why: SAME_DAY,
  },
  {
    ...{ file: COST_BOOK, original: 'this.#today.fromMs + DAY_MS', replacement: 'this.#today.fromMs - DAY_MS' },
    why: SAME_DAY,
  },
  { file: COST_BOOK, original: 'now % DAY_MS', replacement: 'now * DAY_MS', why: SAME_DAY },
  {
    ...{ file: SEQUENCER, original: 'this.#waiting[first]?.rank', replacement: 'this.#waiting[first].rank' },
    why: 'where any wait, there is a first one',
  },
  {
    ...{ file: OPERATION_NAMES, original: '{ return undefined; }', replacement: '{}' },
    why: 'a function that ends without a value returns undefined',
  },
  {
    ...{ file: RECEIPT, original: '[]', replacement: '["Stryker was here"]' },
    why: 'what is no line has no items, and is not told',
  },
  {
    ...{ file: WALLET, original: '[]', replacement: '["Stryker was here"]', places: 2 },
    why: 'what is no entry has no number, so that it is after no figure',
  },
  { file: WALLET, original: 'seq > this.#newest.seq', replacement: 'seq >= this.#newest.seq', why: SAME_ENTRY },
  { file: WALLET, original: 'seq > this.#seq', replacement: 'seq >= this.#seq', why: SAME_ENTRY },
  { file: WALLET, original: 'this.#readings > 0', replacement: 'true', why: KEPT_LONGER },
  { file: WALLET, original: 'this.#readings > 0', replacement: 'this.#readings >= 0', why: KEPT_LONGER },
  { file: WALLET, original: 'this.#posting.size === 0', replacement: 'false', why: NOTHING_ON_ITS_WAY },
  {
    ...{ file: WALLET, original: '{ this.#adopt(figure, clock.now()); return figure; }', replacement: '{}' },
    why: NOTHING_ON_ITS_WAY,
  },
  {
    ...{ file: WALLET, original: 'least >= this.left', replacement: 'least > this.left' },
    why: 'if both are the same, the figure says what is known already',
  },
  {
    file: WALLET,
    original: '{ if (settled === null) this.#endReading(); else void settled.then(() => this.#endReading()); }',
    ...{ replacement: '{}', why: KEPT_LONGER },
  },
  { file: WALLET, original: '() => this.#endReading()', replacement: '() => undefined', why: KEPT_LONGER },
  {
    ...{ file: WALLET, original: 'this.#booked.filter((one) => one.seq > seq)', replacement: 'this.#booked' },
    why: KEPT_LONGER,
  },
  { file: WALLET, original: 'one.seq > seq', replacement: 'true', why: KEPT_LONGER },
  { file: WALLET, original: 'one.seq > seq', replacement: 'one.seq >= seq', why: KEPT_LONGER },
  {
    file: WALLET,
    original: '{ this.#readings -= 1; if (this.#readings === 0) this.#booked = []; }',
    ...{ replacement: '{}', why: KEPT_LONGER },
  },
  { file: WALLET, original: 'this.#readings -= 1', replacement: 'this.#readings += 1', why: KEPT_LONGER },
  { file: WALLET, original: 'this.#readings === 0', replacement: 'false', why: KEPT_LONGER },
  {
    ...{ file: GROUP_COMMIT, original: 'most - batch.length', replacement: 'most + batch.length' },
    why: 'while there is room in a flush, there is room for an even share of it, which is the smaller of both',
  },
  { file: GROUP_COMMIT, original: 'batch.length >= most', replacement: 'false', why: TAKES_NOTHING },
  { file: GROUP_COMMIT, original: 'batch.length >= most', replacement: 'batch.length > most', why: TAKES_NOTHING },
  { file: GROUP_COMMIT, original: 'lock !== null', replacement: 'true', why: PARKED_IS_LOCKED },
  {
    ...{ file: GROUP_COMMIT, original: 'partition.lock?.isStubborn', replacement: 'partition.lock.isStubborn' },
    ...{ places: 2, why: PARKED_IS_LOCKED },
  },
  {
    ...{ file: GROUP_COMMIT, original: 'partition.lock?.mayProbe', replacement: 'partition.lock.mayProbe' },
    why: PARKED_IS_LOCKED,
  },
  {
    ...{ file: GROUP_COMMIT, original: '() => false', replacement: '() => undefined' },
    why: 'a request that is not said to be plain is not plain',
  },
  {
    ...{ file: POST, original: '{ flights: FLIGHTS, waits: WAITS }', replacement: '{}' },
    why: 'the same two numbers are the bounds that hold where none are given; here they count connections, too',
  },
  {
    ...{ file: POST, original: 'posting.signal?.reason', replacement: 'posting.signal.reason', places: 2 },
    why: 'a caller who has left has a signal',
  },
];
