import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The parts of V8's CPU profile that are used here. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The profile of a build with the source positions of its functions, where the build has a source map. */
export function withOriginals(profile: CpuProfile): CpuProfile {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (url: string): SourceMap | null => {
    let map = maps.get(url);
    if (map === undefined) {
      map = url.includes('/dist/') ? readMap(url) : null;
      maps.set(url, map);
    }
    return map;
  };
  const nodes = profile.nodes.map((node) => {
    const { url, lineNumber, columnNumber } = node.callFrame;
    const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
    if (!entry || !('originalSource' in entry)) return node;
    const callFrame = {
      ...node.callFrame,
      url: new URL(entry.originalSource, url).href,
      lineNumber: entry.originalLine,
      columnNumber: entry.originalColumn,
    };
    return { ...node, callFrame };
  });
  return { ...profile, nodes };
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')));
  } catch {
    return null;
  }
}
