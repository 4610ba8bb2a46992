import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { toCredits } from '../../src/domain/credits.js';
import type { Answered } from '../http/answered.js';
import { interfaceFromUrl } from '../http/answered.js';

/** Seconds: from a cached answer to one that waits in the queue until the deadline. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The label of all operations that callers name themselves: one for all, so that callers cannot add time series. */
const AD_HOC = 'ad hoc';

/** Measures requests and their cost. `operations` are the names of the persisted ones. */
export function measureRequests(app: FastifyInstance, registers: Registry[], operations: ReadonlySet<string>): void {
  const requests = new Counter({
    name: 'perch_http_requests_total',
    help: 'Requests by interface, operation, mode of the key (live, test or none), HTTP status and error code.',
    labelNames: ['interface', 'operation', 'mode', 'status', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'perch_http_request_duration_seconds',
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['interface', 'operation', 'mode'],
    buckets: BUCKETS,
    registers,
  });
  const limited = new Counter({
    name: 'perch_http_rate_limited_total',
    help: 'Requests refused with 429, by rate policy.',
    labelNames: ['policy'],
    registers,
  });
  const observeCharge = measureCharges(registers);

  app.onAnswered((answered) => {
    const { request, status, outcome, ms } = answered;
    const operation = operationLabel(answered, operations);
    const labels = { interface: interfaceFromUrl(request), operation, mode: outcome?.mode ?? 'none' };
    const code = outcome?.result.kind === 'refusal' ? outcome.result.failure.code : '';
    requests.inc({ ...labels, status: status ?? 'aborted', code });
    seconds.observe(labels, ms / 1000);
    if (status === 429) limited.inc({ policy: outcome?.policy ?? 'public' });
    observeCharge(answered);
  });
}

function operationLabel({ outcome }: Answered, operations: ReadonlySet<string>): string {
  if (outcome === null || outcome.operation === null) return 'none';
  return operations.has(outcome.operation) ? outcome.operation : AD_HOC;
}

function measureCharges(registers: Registry[]): (answered: Answered) => void {
  const labelNames = ['unit', 'cache', 'mode'] as const;
  const credits = new Counter({
    name: 'perch_credits_charged_total',
    help: 'Credits charged, by unit, cache status and mode: those of test keys are play credits.',
    labelNames,
    registers,
  });
  const items = new Counter({
    name: 'perch_items_delivered_total',
    help: 'Items charged for, by unit, cache status and mode.',
    labelNames,
    registers,
  });
  return ({ outcome }) => {
    if (outcome?.result.kind !== 'answer') return;
    const mode = outcome.mode ?? 'none';
    for (const { unit, cache, items: count, unitPrice } of outcome.result.charge.lines) {
      items.inc({ unit, cache, mode }, count);
      credits.inc({ unit, cache, mode }, toCredits(count * unitPrice));
    }
  };
}
