import { liveName } from '../../schema/list-documents.js';
import { FOLLOWED_READS, type ListRead, subjectParameter } from '../../src/domain/lists.js';
import type { WatchSettings } from '../../src/ports/watches.js';
import type { WatchForm } from '../../src/watches/follower.js';
import { buildEnvelope, renderEnvelope } from './envelope.js';

const readOf = ({ kind }: Pick<WatchSettings, 'kind'>): ListRead => {
  const read = FOLLOWED_READS.find((one) => one.kind === kind);
  if (read === undefined) throw new TypeError(`There is no list ${kind}.`);
  return read;
};

/** The calls and deliveries of watches, in the shapes of REST: a delivery has the envelope of a page. */
export const WATCH_FORM: WatchForm = {
  follows(watch) {
    return { [subjectParameter(readOf(watch))]: watch.subject };
  },
  call(watch) {
    const read = readOf(watch);
    const { subject, count, product } = watch;
    const name = read.list.subject === 'tweet' ? 'id' : subjectParameter(read);
    const variables = { [name]: subject, count, ...(product !== null && { product }) };
    return {
      interface: 'rest',
      allOrNothing: true,
      render: renderEnvelope,
      document: { name: liveName(read) },
      parse: () => ({ variables, budget: null, estimate: false }),
    };
  },
  body(watch, { answer, charged, outcome }, number, at) {
    const { amount } = answer.charge;
    // If the items were already charged, and the answer was then lost, shows that first charge.
    const shown = charged === amount ? answer : { ...answer, charge: { ...answer.charge, amount: charged } };
    const { shared, own } = buildEnvelope(shown, outcome.requestId, []);
    const head = { watch_id: watch.watchId, number, ...this.follows(watch) };
    const event = `{"type":"watch.items","timestamp":"${new Date(at).toISOString()}"`;
    const members = JSON.stringify(head).slice(0, -1);
    return [`${event},"data":${members},`, shared.bytes.toString().slice(1), `${own.toString()}}`];
  },
};
