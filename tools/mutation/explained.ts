/** The kinds of changes that Stryker makes, by its names. */
type Mutator =
  | 'ArithmeticOperator'
  | 'ArrayDeclaration'
  | 'ArrowFunction'
  | 'AssignmentOperator'
  | 'BlockStatement'
  | 'BooleanLiteral'
  | 'ConditionalExpression'
  | 'EqualityOperator'
  | 'MethodExpression'
  | 'ObjectLiteral'
  | 'OptionalChaining';

/** Changes of one kind in one function that no test can or has to notice: the reason, and their number (default: 1). */
export type Explained = readonly [name: string, mutator: Mutator, why: string, places?: number];

const SAME_ENTRY = 'an entry has one balance: of two figures with its number, either is right';
const NOTHING_IN_FLIGHT = 'without posts in flight the longer path gives the same result; this one is shorter';
const KEPT_LONGER = 'an amount kept for too long has a number that no later figure counts; it only costs memory';
const HIDDEN = 'a copy that stays is hidden by its tombstone, which lives longer';
const ASKS_FOR_MORE = 'asks about more keys than it has to; they are cached, so the answers are not used';
const SAME_DAY = 'the day is found again for each read, which costs processor time';
const NONE_OF_NONE = 'there is none among none; asking for the number first costs less';
const PARKED_IS_LOCKED = 'only partitions that have a lock are parked';
const TAKES_NOTHING = 'it takes nothing more from partitions that are in the flush already';
const TOO_LONG = 'we issue no cursor as long; longer ones are refused before they are decoded, which costs more';
const NOT_PREPARED = 'a statement that is not prepared is planned each time, which costs processor time';

/** By file. A nested function has both names: `Wallet.learn`, `createIdentify.known`. */
export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {
  'adapters/postgres/ledger/plain-debits.ts': [
    [
      'postPlainDebits',
      'ConditionalExpression',
      'the statement posts nothing for no wallet; leaving it out saves time',
    ],
    ['postPlainDebits', 'ObjectLiteral', NOT_PREPARED],
    ['postPlainDebits', 'BooleanLiteral', NOT_PREPARED],
    [
      'Receipts.kindOf',
      'ConditionalExpression',
      'the receipt is found by its text instead, which costs processor time',
    ],
    ['columnsOf', 'EqualityOperator', 'the same id is the least as well'],
  ],
  'src/read/cursor.ts': [
    ['open', 'ConditionalExpression', TOO_LONG],
    ['open', 'EqualityOperator', TOO_LONG],
  ],
  'src/read/pages.ts': [
    ['createPages.readNow', 'ConditionalExpression', 'the end of a list is no place, so nothing leads back to it'],
    ['createPages.readNow', 'ConditionalExpression', 'a size of undefined is no size'],
    ['storeObjects', 'ArrayDeclaration', 'a text has no id, and is cached under none that anybody asks for', 5],
  ],
  'src/read/entities.ts': [
    ['storeAs', 'ArrayDeclaration', 'a text is no promise, and is not waited for'],
    ['lookUp', 'ArrayDeclaration', 'an absence of no key is not looked at'],
    ['withdrawAs', 'ArrayDeclaration', 'what is not cached needs no deletion'],
    ['withdrawAs', 'ConditionalExpression', HIDDEN],
    ['withdrawAs', 'ConditionalExpression', 'deletes what is not there'],
    ['createEntities.read', 'ArrayDeclaration', 'reads again what another process has just read'],
    ['lookUp', 'MethodExpression', ASKS_FOR_MORE],
    ['lookUp', 'ConditionalExpression', ASKS_FOR_MORE, 2],
    ['lookUp', 'EqualityOperator', ASKS_FOR_MORE],
  ],
  'src/read/fill.ts': [
    ['Filling.#onward', 'ArrayDeclaration', 'a page leads on only after it has items, of which one was passed'],
    ['Filling.#pass', 'ConditionalExpression', 'each index of a page has an item'],
    ['Filling.#want', 'BooleanLiteral', 'a page that has none before it is not asked whether it continues one'],
  ],
  'src/read/load-within-budget.ts': [
    ['loadOn', 'EqualityOperator', 'a round of nothing ends at once'],
    ['loadOn', 'ConditionalExpression', 'the next round can pay for nothing, and ends'],
    ['loadOn', 'ArithmeticOperator', 'cached items are found again as they are read, at the same price'],
    ['deliver', 'ConditionalExpression', 'there is one for each request'],
    ['affordableEnd', 'EqualityOperator', 'whether there is money for one more than there are changes nothing'],
  ],
  'src/read/reads.ts': [
    ['Reads.#free', 'ArrayDeclaration', 'the read looks in the cache, too; looking first costs less'],
  ],
  'src/read/tombstones.ts': [
    ['createTombstones', 'MethodExpression', 'a longer name is of the same account; it costs memory'],
    ['createTombstones.has', 'ConditionalExpression', NONE_OF_NONE],
    ['createTombstones.has', 'EqualityOperator', NONE_OF_NONE],
  ],
  'src/access/identify.ts': [
    ['createKeyHashes', 'ConditionalExpression', 'a key of another length is malformed anyway; this check costs less'],
    ['createKeyHashes', 'ConditionalExpression', 'the same hash is computed anew, which costs processor time'],
    [
      'createIdentify.known',
      'ConditionalExpression',
      'nothing is known of a key without a hash; this check costs less',
    ],
  ],
  'src/access/work-slots.ts': [['WorkSlot.countFor', 'OptionalChaining', 'a slot that was taken has a holder']],
  'src/figures/cost-book.ts': [
    ['CostBook.#add', 'ConditionalExpression', SAME_DAY],
    ['CostBook.#add', 'EqualityOperator', SAME_DAY],
    ['CostBook.#add', 'ArithmeticOperator', SAME_DAY, 2],
  ],
  'src/metering/meter.ts': [['FieldSequencer.#takeFirst', 'OptionalChaining', 'where any wait, there is a first one']],
  'src/metering/operation-names.ts': [
    ['OperationNames.#claimNames', 'BlockStatement', 'a function that ends without a value returns undefined'],
  ],
  'src/metering/receipt.ts': [
    ['Receipt.add', 'ArrayDeclaration', 'a text is no line: it has no items, and is not reported'],
  ],
  'src/metering/wallet.ts': [
    ['Wallet.#booked', 'ArrayDeclaration', 'a text is no entry: it has no number, and is after no figure'],
    ['Wallet.#endReading', 'ArrayDeclaration', 'a text is no entry: it has no number, and is after no figure'],
    ['Wallet.#book', 'EqualityOperator', SAME_ENTRY, 2],
    ['Wallet.#book', 'EqualityOperator', KEPT_LONGER],
    ['Wallet.#book', 'ConditionalExpression', KEPT_LONGER],
    ['Wallet.learn', 'ConditionalExpression', NOTHING_IN_FLIGHT],
    ['Wallet.learn', 'BlockStatement', NOTHING_IN_FLIGHT],
    ['Wallet.learn', 'BlockStatement', KEPT_LONGER],
    ['Wallet.learn', 'EqualityOperator', 'if both are the same, the figure says what is known already'],
    ['Wallet.learn', 'ArrowFunction', KEPT_LONGER],
    ['Wallet.#adopt', 'MethodExpression', KEPT_LONGER],
    ['Wallet.#adopt', 'ConditionalExpression', KEPT_LONGER],
    ['Wallet.#adopt', 'EqualityOperator', KEPT_LONGER],
    ['Wallet.#endReading', 'BlockStatement', KEPT_LONGER],
    ['Wallet.#endReading', 'AssignmentOperator', KEPT_LONGER],
    ['Wallet.#endReading', 'ConditionalExpression', KEPT_LONGER],
  ],
  'adapters/postgres/ledger/group-commit.ts': [
    ['GroupCommit.#gather', 'ArithmeticOperator', 'a flush with room has room for an even share, the smaller of both'],
    ['GroupCommit.#gather', 'ConditionalExpression', TAKES_NOTHING],
    ['GroupCommit.#gather', 'EqualityOperator', TAKES_NOTHING],
    ['GroupCommit.#gather', 'ArrowFunction', 'a request that is not said to be plain is not plain'],
    ['GroupCommit.#setTimer', 'ConditionalExpression', PARKED_IS_LOCKED],
    ['GroupCommit.#pump', 'OptionalChaining', PARKED_IS_LOCKED],
    ['GroupCommit.#nextToWait', 'OptionalChaining', PARKED_IS_LOCKED],
    ['GroupCommit.#probes', 'OptionalChaining', PARKED_IS_LOCKED],
  ],
  'adapters/postgres/ledger/post.ts': [
    ['createPost', 'ArrowFunction', 'without shards there is one queue, whatever it is called'],
    ['createPost', 'ObjectLiteral', 'both numbers are also the default bounds; here they count connections, too'],
    ['resolveAbandoned', 'OptionalChaining', 'a caller who has left has a signal', 2],
  ],
};
