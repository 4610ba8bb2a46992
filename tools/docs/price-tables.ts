import { PACKS, TIERS, usdPer1000 } from '../../src/domain/tiers.js';
import { tableText } from './parts.js';

export const packsTable = (): string =>
  tableText(
    ['Pack', 'US dollars', 'Credits', 'US dollars per 1,000'],
    PACKS.map((pack) => [
      `\`${pack.name}\``,
      pack.usd.toLocaleString('en'),
      pack.credits.toLocaleString('en'),
      usdPer1000(pack).toFixed(2),
    ]),
  );

export const tiersTable = (): string =>
  tableText(
    ['Total paid, US dollars', 'Requests per second'],
    TIERS.map(({ paidUsd, requestsPerSecond }) => [paidUsd.toLocaleString('en'), String(requestsPerSecond)]),
  );
