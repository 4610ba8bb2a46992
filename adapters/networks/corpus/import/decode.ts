const ENTITY = /&(?:amp|lt|gt|quot|apos|#0?39|#x27);/gi;

const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/**
 * Text as people wrote it: the network's sources escape it (T13). Decoded once, so that `&amp;lt;` stays a visible
 * `&lt;`.
 */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(ENTITY, (entity) => CHARACTERS[entity.toLowerCase()] ?? "'") : text;
