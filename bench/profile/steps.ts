import type { CpuProfile } from './originals.js';

/**
 * What a request costs step by step. A function's time counts for the step of its file. The time of Node, of V8 and of
 * shared files counts for the step that called them.
 */
const STEPS: readonly (readonly [step: string, files: RegExp])[] = [
  ['garbage collection', /^\(garbage collector\)$/],
  [
    'log',
    /node_modules\/(?:pino|sonic-boom|fast-redact|thread-stream)\/|adapters\/http\/request-log\.|src\/lib\/fair-log\./,
  ],
  ['metrics and traces', /adapters\/(?:metrics|telemetry)\/|node_modules\/(?:prom-client|@opentelemetry)\//],
  ['ledger and its client', /adapters\/postgres\/|node_modules\/postgres\/|src\/metering\/|src\/ports\/ledger/],
  ['Redis', /adapters\/redis\/|node_modules\/(?:ioredis|redis-[^/]+|standard-as-callback)\//],
  ['ids', /src\/(?:domain\/ids|lib\/uuid)\.|node_modules\/uuid\//],
  ['key', /src\/access\/(?:identify|key|credential|lookups|failed-keys)\./],
  [
    'rate and admission',
    /src\/access\/|adapters\/memory\/rate-limiter\.|adapters\/http\/limits\/|src\/lib\/fair-share\./,
  ],
  ['compression', /adapters\/http\/bodies\/|^node:zlib|node_modules\/@fastify\/compress\//],
  ['kept answer', /src\/serve\/(?:answer-cache|rendered)\.|src\/lib\/(?:digest|bounded-map|memor)/],
  ['cache and reads', /src\/read\/|adapters\/memory\/|adapters\/networks\//],
  ['operation and plan', /src\/documents\/|src\/serve\/budget\.|node_modules\/graphql\//],
  ['serve', /src\/serve\//],
  ['REST', /adapters\/rest\//],
  ['GraphQL', /adapters\/graphql\/|node_modules\/(?:graphql-yoga|@whatwg-node|@envelop|mercurius|graphql-jit)\//],
  ['MCP', /adapters\/mcp\/|node_modules\/@modelcontextprotocol\//],
  ['HTTP adapter: hooks, headers', /adapters\/http\//],
  ['Fastify', /node_modules\/(?:fastify|find-my-way|avvio|@fastify|light-my-request)\//],
  ['node:http', /^node:(?:_http|internal\/http|http)/],
];

/** Time that no step called: mainly sockets and the event loop, which serve the requests. */
const OTHERWISE = 'sockets, event loop, promises';

const ENTRY = /^\((?:root|program|idle)\)$/;

function stepOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string | undefined {
  const place = url || functionName;
  if (ENTRY.test(place)) return OTHERWISE;
  return STEPS.find(([, files]) => files.test(place))?.[0];
}

/** Microseconds by step, from the self time of each node of the profile, most expensive first. Idle time is omitted. */
export function stepsOf(
  { nodes }: Pick<CpuProfile, 'nodes'>,
  self: ReadonlyMap<number, number>,
): { readonly name: string; readonly self: number }[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const steps = new Map<string, number>();
  const walk = (id: number, above: string): void => {
    const node = byId.get(id);
    if (!node || node.callFrame.functionName === '(idle)') return;
    const step = stepOf(node.callFrame) ?? above;
    steps.set(step, (steps.get(step) ?? 0) + (self.get(id) ?? 0));
    for (const child of node.children ?? []) walk(child, step);
  };
  walk(nodes[0]?.id ?? 0, OTHERWISE);
  return [...steps].map(([name, time]) => ({ name, self: time })).sort((a, b) => b.self - a.self);
}
