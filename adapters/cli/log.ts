import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../../src/config.js';

const STDERR = 2;

/** The service's log, on standard error: for people, or one JSON object a line. */
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
      : pino.destination({ dest: STDERR, sync: false });
  return pino({ level }, destination);
}
