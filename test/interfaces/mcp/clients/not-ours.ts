/**
 * Scenarios of the conformance suite that ask for something that Perch does not have, each with what that is. All
 * others must pass.
 */
export interface NotOurs {
  readonly scenarios: readonly string[];
  readonly why: string;
}

/**
 * A scenario like these calls a tool, reads a resource or gets a prompt that only the suite's own example server has.
 */
export const NOT_OURS: readonly NotOurs[] = [
  {
    why: 'calls a tool of the example server (test_simple_text, test_error_handling …)',
    scenarios: [
      'tools-call-simple-text',
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'tools-call-with-logging',
      'tools-call-error',
      'tools-call-with-progress',
      'tools-call-sampling',
      'tools-call-elicitation',
      'json-schema-2020-12',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
  },
  {
    why: 'calls a tool that asks the client for something; ours ask for nothing',
    scenarios: [
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
    ],
  },
  {
    why: 'reads or subscribes to a resource of the example server (test://…); ours never change',
    scenarios: [
      'resources-read-text',
      'resources-read-binary',
      'resources-templates-read',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
  },
  {
    why: 'there are no prompts',
    scenarios: [
      'prompts-list',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
  },
  { why: 'there is nothing to complete', scenarios: ['completion-complete'] },
  { why: 'nothing is logged to clients', scenarios: ['logging-set-level'] },
  { why: 'no argument is sent as a header', scenarios: ['http-custom-header-server-validation'] },
];

/** Scenarios that pass all checks but these, which need a tool of the example server, or prompts. */
export const PARTLY: Readonly<Record<string, readonly string[]>> = {
  caching: ['sep-2549-prompts-list-caching-hints'],
  'server-stateless': [
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-missing-capability-http-400',
    'sep-2575-server-no-log-without-loglevel',
    'sep-2575-server-rejects-undeclared-capability',
  ],
};

/**
 * Scenarios that fail nothing, but warn that they could not check, because there are no sessions and no open streams.
 */
export const WARNED_ALWAYS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-sse-multiple-streams', 'server-sse-polling'],
};

/** These warn as well, because no tool asks for anything. */
export const WARNED: Readonly<Record<string, readonly string[]>> = {
  ...WARNED_ALWAYS,
  '2026-07-28': ['input-required-result-missing-input-response', 'input-required-result-ignore-extra-params'],
};

/**
 * Scenarios that the suite's own example cannot pass over this transport either, because the transport does not carry
 * them. It carries all others of the above, as `example-node.ts` shows.
 */
export const NOT_CARRIED: readonly (NotOurs & { readonly revisions: readonly string[] })[] = [
  {
    why: 'speaks to the client before the answer: in the revisions of 2025 an answer here is one JSON message, without a session',
    revisions: ['2025-06-18', '2025-11-25'],
    scenarios: [
      'tools-call-with-logging',
      'tools-call-with-progress',
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
  },
  {
    why: 'no argument is sent as a header: the library checks such in a class of its own, which is not used here',
    revisions: ['2026-07-28'],
    scenarios: ['http-custom-header-server-validation'],
  },
];

/** The scenarios of a run over the example that are expected to fail. */
export const notCarriedAmong = (scenarios: readonly string[], revision: string): string[] =>
  NOT_CARRIED.filter(({ revisions }) => revisions.includes(revision))
    .flatMap((row) => row.scenarios)
    .filter((name) => scenarios.includes(name));

/** The scenarios of a run that are expected to fail. */
export const notOursAmong = (scenarios: readonly string[]): string[] =>
  [...NOT_OURS.flatMap((row) => row.scenarios), ...Object.keys(PARTLY)].filter((name) => scenarios.includes(name));
