import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../../../src/config/config.js';
import { withoutKeys } from '../../http/request.js';
import { REQUEST } from '../../http/request-log.js';
import { type RequestEntry, requestLine } from './request-line.js';

const STDERR = 2;

/** How many bytes are written at once, and the longest that a line waits (ms). The rest is written on exit or crash. */
const TOGETHER = { minLength: 16_000, periodicFlush: 100 } as const;
/** The most bytes that wait while they cannot be written; further lines are lost. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/** The longest that the end of the process waits for a reader that takes no lines; the rest of them is lost. */
const LAST_LINES_MS = 2_000;

/** The service's log, on standard error: as text for people, or one JSON object per line. */
export function createLog({ level, format }: Config['log']): Logger {
  const destination: DestinationStream =
    format === 'pretty' ? forPeople(toStandardErrorAsText, process.stderr.isTTY === true) : inBytes(toStandardError());
  return pino({ level }, hidingKeys(destination));
}

function toStandardErrorAsText(line: string): void {
  if (process.stderr.writableLength < MOST_WAITING_BYTES) process.stderr.write(line);
}

/**
 * Makes writes to a pipe return at once if nobody reads it. They wait again in all processes that share the pipe each
 * time one of them starts another, as the supervisor starts workers.
 */
function letWritesReturn(): void {
  const { isTTY, _handle: handle } = process.stderr as {
    isTTY?: boolean;
    _handle?: { setBlocking?(on: boolean): void };
  };
  if (!isTTY) handle?.setBlocking?.(false);
}

/** A full disk or a reader that hangs costs lines of the log, and not the service: failed writes are tried again. */
function toStandardError(): DestinationStream {
  letWritesReturn();
  let endsAtMs = Number.POSITIVE_INFINITY;
  const destination = pino.destination({
    ...{ dest: STDERR, sync: false, contentMode: 'buffer', maxLength: MOST_WAITING_BYTES, ...TOGETHER },
    retryEAGAIN: () => performance.now() < endsAtMs,
  } as object);
  let isFailing = false;
  destination.on('error', () => {
    isFailing = true;
  });
  destination.on('write', () => {
    isFailing = false;
  });
  const flushSync = destination.flushSync.bind(destination);
  // At exit it would retry forever.
  destination.flushSync = () => {
    if (isFailing) return;
    endsAtMs = performance.now() + LAST_LINES_MS;
    try {
      flushSync();
    } catch {
      // The reader hangs.
    }
    endsAtMs = Number.POSITIVE_INFINITY;
  };
  return destination;
}

/**
 * Passes lines on as bytes, which are joined only when they are written. Lines of text would be joined with each new
 * line, to measure their length in bytes.
 */
function inBytes(destination: DestinationStream): DestinationStream {
  const write = destination.write.bind(destination) as unknown as (line: Buffer) => void;
  destination.write = (line) => write(Buffer.from(line));
  return destination;
}

/** Shows a request as a line in columns, and any other entry as its message and fields. */
export function forPeople(write: (line: string) => void, inColour: boolean): DestinationStream {
  const asText = prettyFactory({
    colorize: inColour,
    ignore: 'pid,hostname,request_id',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return {
    write(line) {
      const entry = JSON.parse(line);
      const isRequest = entry.msg === REQUEST && 'method' in entry;
      write(isRequest ? requestLine(entry as RequestEntry, inColour) : asText(entry));
    },
  };
}

/** Keeps keys out of the log, even those that an external error quotes. */
export function hidingKeys(destination: DestinationStream): DestinationStream {
  const write = destination.write.bind(destination);
  destination.write = (line) => write(/perch_(?:live|test)_/.test(line) ? withoutKeys(line) : line);
  return destination;
}
