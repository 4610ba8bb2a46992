/** A pattern that is built when the code runs. */
export interface Known {
  readonly path: string;
  /** The call, as it is written. */
  readonly expression: string;
  /** What it is built from, and why no caller can choose that. */
  readonly why: string;
  /** The worst patterns that it can become. These are checked like literals. */
  readonly like: readonly string[];
}

/** All such patterns. A new one needs a row; it is better to do without it. */
export const BUILT: readonly Known[] = [
  {
    path: 'src/access/key.ts',
    expression: `new RegExp(\`^\${ANY_PREFIX}[0-9A-Za-z]{\${RANDOM_CHARS + CHECKSUM_CHARS}}$\`)`,
    why: 'out of constants of the same file',
    like: ['^(?:perch_live_|perch_test_)[0-9A-Za-z]{32}$'],
  },
  {
    path: 'adapters/http/server.ts',
    expression: `new RegExp(\`^\${source}/?$\`)`,
    why: 'out of the paths of our own routes, escaped; their names are one part of a path each, their stars the rest of it',
    like: ['^/v1/users/[^/]+/followers/ids/?$', '^/problems/[^/]+/?$', '^/assets/.*/?$', '^.*/?$'],
  },
  {
    path: 'adapters/cli/call-price.ts',
    expression: `new RegExp(\`^\${pattern}/?$\`)`,
    why: 'out of the paths of the route table; run on what an operator types',
    like: ['^/v1/users/(?<user>[^/]+)/followers/ids/?$'],
  },
  {
    path: 'adapters/pages/kit/files/code.js',
    expression: `new RegExp(\`(\${comments})|(\${names})|(\${strings})|(\${word})|(\${number})\`, 'gm')`,
    why: 'out of constants of the same file; run on samples and pages of ours, in a browser also on what its visitor types',
    like: [
      String.raw`((?<=^|\s)#.*)|((?!))|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|((?<![\w$.])(?:if|in)(?![\w-]))|((?<![\w.])\d+(?:\.\d+)?(?![\w.-]))`,
      String.raw`((?<=^|\s)//.*|^[ \t]*/?\*.*)|("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*"?)|((?<![\w$.])(?:true|null)(?![\w-]))`,
      '(`(?:[^`\\\\]|\\\\.)*`?)|((?<![\\w.])\\d+)',
    ],
  },
  {
    path: 'demo/subjects.ts',
    expression: `new RegExp(condition, 'i')`,
    why: 'out of the texts that the demo network is made of; run on those texts, when a demo is made',
    like: [],
  },
];
