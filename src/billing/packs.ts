import { badRequest } from '../domain/errors.js';
import { PACKS, type Pack, TIERS, usdPer1000 } from '../domain/tiers.js';
import { quoted } from '../lib/text.js';

/** Packs and tiers (section 4, billing). `buyable` is false while card checkout is not open (W9). */
export const packsAndTiers = (buyable: boolean) => ({
  packs: PACKS.map((pack) => ({ ...pack, usdPer1000: usdPer1000(pack), buyable })),
  rateLimits: TIERS,
});

/** The pack with this name. Throws `bad_request` for an unknown name, listing the packs. */
export function packNamed(name: string): Pack {
  const pack = PACKS.find((each) => each.name === name);
  if (pack !== undefined) return pack;
  const names = PACKS.map((each) => each.name).join(', ');
  throw badRequest(`Unknown pack ${quoted(name)}. Available packs: ${names}.`, 'pack');
}
