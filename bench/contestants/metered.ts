import { randomFillSync } from 'node:crypto';
import { openSync, write } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { ENCODINGS, encode } from '../../adapters/http/bodies/encodings.js';
import { connect } from '../../adapters/postgres/sql.js';
import { type Answers, answerId, type Sent } from './answers.js';
import { openDoor, statusOf } from './door.js';
import { createMeteredLedger, openMeteredTables } from './metered-ledger.js';

/**
 * The smallest server that keeps Perch's promise for a cached read: it checks the key by its HMAC, limits the rate,
 * writes a ledger row to disk before the answer, sends the same bytes with the call's own balance and id, and logs one
 * line. It has no routes, budgets, caps, deadlines, metrics or retries.
 */
export async function metered({ rest, keys, database, logFile }: Answers): Promise<Server> {
  const sql = connect(database, { max: 1, name: 'metered' });
  await openMeteredTables(sql, keys.length);
  const charge = createMeteredLedger(sql);
  const answers = new Map(rest.map((sent) => [answerId(sent.path, sent.acceptEncoding), prepare(sent)]));
  const admit = openDoor(keys);
  const log = openLog(logFile);
  const newId = createIds();
  return createServer((request, response) => {
    const begunMs = performance.now();
    const customer = admit(String(request.headers['x-api-key']));
    if (typeof customer === 'string') return refuse(response, statusOf(customer), customer);
    const url = request.url ?? '';
    const answer = answers.get(answerId(url, request.headers['accept-encoding']?.toString()));
    if (answer === undefined) return refuse(response, 404, 'not_found');
    const { begin, amount } = answer;
    const id = newId();
    const rate = `limit=1000, remaining=${Math.floor(customer.tokens)}, reset=1`;
    charge({
      wallet: customer.nth,
      id,
      amount,
      failed: () => refuse(response, 503, 'try_again'),
      done(thousandths) {
        const balance = thousandths / 1000;
        const end = answer.end(`,"balance_remaining":${balance},"request_id":"${id}"}`);
        const ms = performance.now() - begunMs;
        response.writeHead(200, [
          ...answer.headers,
          ...['x-credits-remaining', String(balance), 'x-request-id', id, 'ratelimit', rate],
          ...['server-timing', `total;dur=${ms.toFixed(1)}`, 'content-length', String(begin.length + end.length)],
        ]);
        response.write(begin);
        response.end(end);
        log(
          `{"level":30,"time":${Date.now()},"request_id":"${id}","method":"GET","url":"${url}","status":200,"ms":${ms.toFixed(2)},"account":${customer.nth},"credits":${amount / 1000},"balance":${balance}}\n`,
        );
      },
    });
  });
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`{"error":{"code":"${code}"}}`);
}

/** The answer except for the call's own members, compressed once if the client accepts that. */
function prepare({ text, headers }: Sent) {
  const { balance_remaining: _balance, request_id: _id, ...shared } = JSON.parse(text);
  const plain = Buffer.from(JSON.stringify(shared).slice(0, -1));
  const encoding = ENCODINGS.find(({ name }) => name === headers['content-encoding']);
  const { bytes, checksum } = encoding ? encode(encoding, plain) : { bytes: plain, checksum: 0 };
  return {
    headers: Object.entries(headers).flat(),
    amount: Math.round(shared.credits_charged * 1000),
    begin: bytes,
    end(own: string): Buffer {
      const raw = Buffer.from(own);
      return encoding ? encoding.end(raw, { checksum, length: plain.length }) : raw;
    },
  };
}

const LOG_MS = 100;

/** Appends lines to a file, several at once if they arrive together. */
function openLog(file: string): (line: string) => void {
  const to = openSync(file, 'a');
  let lines = '';
  setInterval(() => {
    if (lines !== '') write(to, lines, () => {});
    lines = '';
  }, LOG_MS).unref();
  return (line) => {
    lines += line;
  };
}

/** Random bytes in an id of version 7, and the number of ids for which they are drawn at once. */
const ID_BYTES = 10;
const AT_ONCE = 400;

function createIds(): () => string {
  const pool = Buffer.alloc(ID_BYTES * AT_ONCE);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const time = Date.now().toString(16).padStart(12, '0');
    const random = pool.toString('hex', used, used + ID_BYTES);
    used += ID_BYTES;
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
  };
}
