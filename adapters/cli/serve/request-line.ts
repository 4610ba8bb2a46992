import { styleText } from 'node:util';
import { figure, inCredits } from '../../../src/domain/figures.js';

/** A request as the service logs it (adapters/http/request-log.ts); without a status if its caller left. */
export interface RequestEntry {
  /** Unix milliseconds. */
  readonly time: number;
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly ms: number;
  readonly operation?: string;
  readonly code?: string;
  readonly cache?: string;
  /** Credits. */
  readonly charge?: number;
}

type Colour = Parameters<typeof styleText>[0];

/** The longest address that is shown. */
const MOST_URL = 80;

/**
 * A request as one line in columns: time, status, duration, charge, cache, and last the request, whose length varies.
 */
export function requestLine(request: RequestEntry, inColour: boolean): string {
  const painted = (colour: Colour, text: string): string =>
    inColour && text !== '' ? styleText(colour, text, { validateStream: false }) : text;
  const { status, url, code } = request;
  const shownUrl = url.length > MOST_URL ? `${url.slice(0, MOST_URL)}…` : url;
  const columns = [
    painted('dim', formatTime(request.time)),
    painted(statusColour(status), status === undefined ? 'left' : String(status).padEnd(4)),
    `${figure(request.ms)} ms`.padStart(10),
    (request.charge === undefined ? '' : inCredits(request.charge)).padStart(15),
    (request.cache ?? '').padEnd(7),
    `${request.method} ${shownUrl}`,
    painted('dim', describeOperation(request)),
    code === undefined ? '' : painted(statusColour(status), code),
  ];
  return `${columns
    .filter((column) => column !== '')
    .join(' ')
    .trimEnd()}\n`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** In this machine's time zone. */
function formatTime(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function statusColour(status: number | undefined): Colour {
  if (status === undefined) return 'magenta';
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
}

/** Empty for REST, whose address already says what is read; the other interfaces have one address for everything. */
const describeOperation = ({ url, operation }: RequestEntry): string =>
  operation !== undefined && !url.startsWith('/v1/') ? operation : '';
