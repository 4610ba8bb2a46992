import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../../src/config/config.js';
import { withoutKeys } from '../http/request.js';

const STDERR = 2;

/** The bytes that are written at once, and the longest that a line waits for others. Exit and crash write the rest. */
const TOGETHER = { minLength: 4096, periodicFlush: 100 } as const;

/** The service's log, on standard error: as text for people, or one JSON object per line. */
export function createLog({ level, format }: Config['log']): Logger {
  const destination: DestinationStream =
    format === 'pretty'
      ? pretty({
          destination: STDERR,
          sync: true,
          colorize: process.stderr.isTTY === true,
          ignore: 'pid,hostname,request_id',
          translateTime: 'SYS:HH:MM:ss',
          singleLine: true,
        })
      : pino.destination({ dest: STDERR, sync: false, ...TOGETHER });
  return pino({ level }, hidingKeys(destination));
}

/** Whatever an external error quotes, no key gets into the log. */
export function hidingKeys(destination: DestinationStream): DestinationStream {
  const write = destination.write.bind(destination);
  destination.write = (line) => write(/perch_(?:live|test)_/.test(line) ? withoutKeys(line) : line);
  return destination;
}
