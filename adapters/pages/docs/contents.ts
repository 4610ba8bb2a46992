/** A part of the documentation, for one kind of reader. */
export interface Group {
  readonly title: string;
  /** Whether the examples are calls of this service, and so show its own address. */
  readonly isForCallers: boolean;
  /** Files of `docs/`, without `.md`, in reading order: that of the README, which a test compares. */
  readonly pages: readonly string[];
}

export const GROUPS: readonly Group[] = [
  {
    title: 'Using it',
    isForCallers: true,
    pages: [
      'quickstart',
      'graphql',
      'rest',
      'pricing',
      'cursors',
      'errors',
      'testing',
      'limits',
      'agents',
      'clients',
      'accounts',
      'interface',
    ],
  },
  {
    title: 'Running it',
    isForCallers: false,
    pages: [
      ...[
        'environment',
        'command-line',
        'deploying',
        'performance',
        'scaling',
        'operator',
        'security',
        'reliability',
        'invariants',
      ],
      ...['live-networks', 'importing'],
    ],
  },
  {
    title: 'Changing it',
    isForCallers: false,
    pages: [
      ...['architecture', 'glossary', 'decisions', 'building', 'dependencies'],
      ...['adding-a-read', 'adding-an-operator', 'adding-a-pack', 'networks'],
    ],
  },
];
