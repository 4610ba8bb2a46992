import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../../../src/config/config.js';
import { withoutKeys } from '../../http/request.js';
import { REQUEST } from '../../http/request-log.js';
import { type RequestEntry, requestLine } from './request-line.js';

const STDERR = 2;

/** The bytes that are written at once, and the longest that a line waits for others. Exit and crash write the rest. */
const TOGETHER = { minLength: 16_000, periodicFlush: 100 } as const;

/** The service's log, on standard error: as text for people, or one JSON object per line. */
export function createLog({ level, format }: Config['log']): Logger {
  const destination: DestinationStream =
    format === 'pretty'
      ? forPeople((line) => process.stderr.write(line), process.stderr.isTTY === true)
      : inBytes(pino.destination({ dest: STDERR, sync: false, contentMode: 'buffer', ...TOGETHER } as object));
  return pino({ level }, hidingKeys(destination));
}

/**
 * Lines as bytes, which are put together when they are written. Lines as text would be copied together at each line, for
 * their length in bytes.
 */
function inBytes(destination: DestinationStream): DestinationStream {
  const write = destination.write.bind(destination) as unknown as (line: Buffer) => void;
  destination.write = (line) => write(Buffer.from(line));
  return destination;
}

/** A request as a line in columns, anything else as its message with its fields. */
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

/** Whatever an external error quotes, no key gets into the log. */
export function hidingKeys(destination: DestinationStream): DestinationStream {
  const write = destination.write.bind(destination);
  destination.write = (line) => write(/perch_(?:live|test)_/.test(line) ? withoutKeys(line) : line);
  return destination;
}
