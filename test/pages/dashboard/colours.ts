import { readFileSync } from 'node:fs';

/** How colours look, with full or deficient colour vision (Machado, Oliveira and Fernandes 2009, severity 1.0). */

type Linear = readonly [number, number, number];

const KINDS = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

function linear(hex: string): Linear {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function seenBy([r, g, b]: Linear, kind: keyof typeof KINDS): Linear {
  const m = KINDS[kind];
  const mix = (x: number, y: number, z: number): number => Math.min(1, Math.max(0, x * r + y * g + z * b));
  return [mix(m[0], m[1], m[2]), mix(m[3], m[4], m[5]), mix(m[6], m[7], m[8])];
}

/** Oklab, times 100. Distances in it are about as large as they look. */
function oklab([r, g, b]: Linear): readonly number[] {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    100 * (0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s),
    100 * (1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s),
    100 * (0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s),
  ];
}

/** The smallest distance between any two of the colours, as seen with that colour vision. */
export function apart(colours: readonly string[], kind: keyof typeof KINDS): number {
  const places = colours.map((hex) => oklab(seenBy(linear(hex), kind)));
  const distances = places.flatMap((a, index) =>
    places.slice(index + 1).map((b) => Math.hypot(...a.map((value, axis) => value - (b[axis] ?? 0)))),
  );
  return Math.min(...distances);
}

/** WCAG contrast of two colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [r, g, b] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The custom properties of the style sheets in a colour scheme, with their values. */
export function coloursOf(scheme: 'light' | 'dark'): (name: string) => string {
  const css = ['kit/files/tokens.css', 'dashboard/files/dashboard.css']
    .map((path) => readFileSync(new URL(`../../../adapters/pages/${path}`, import.meta.url), 'utf8'))
    .join('\n');
  const values = new Map(
    [...css.matchAll(/^:root \{([^}]*)\}/gm)].flatMap(([, block = '']) =>
      [...block.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
    ),
  );
  const colour = (name: string): string => {
    const value = values.get(name);
    if (value === undefined) throw new RangeError(`No style sheet has ${name}`);
    const other = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
    if (other !== undefined) return colour(other);
    const [, light, dark] = /^light-dark\((#\w+), (#\w+)\)$/.exec(value) ?? [];
    return (scheme === 'dark' ? dark : light) ?? value;
  };
  return colour;
}
