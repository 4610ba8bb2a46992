/** A compiled Relay project: relay/timeline.js, its artefacts by `relay-compiler`, drawn with React. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transformSync } from '@babel/core';
import { createElement, Suspense } from 'react';
import { act, create } from 'react-test-renderer';
import { headers, say, url } from './say.mjs';

const require = createRequire(import.meta.url);
const { RelayEnvironmentProvider, fetchQuery } = require('react-relay');
const { Environment, Network, RecordSource, Store } = require('relay-runtime');
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const { code } = transformSync(readFileSync('relay/timeline.js', 'utf8'), {
  plugins: [['relay', { eagerEsModules: false }]],
  configFile: false,
});
writeFileSync('relay/built.js', code);
const { Timeline } = require('./relay/built.js');
const profile = require('./relay/__generated__/timelineQuery.graphql.js');

const environment = new Environment({
  network: Network.create(async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables });
    const type = { 'content-type': 'application/json' };
    const answer = await (
      await fetch(`${url}/graphql`, { method: 'POST', headers: { ...headers, ...type }, body })
    ).json();
    if (answer.errors) throw Object.assign(new Error(answer.errors[0].message), answer.errors[0].extensions);
    return answer;
  }),
  store: new Store(new RecordSource()),
  getDataID: ({ nodeId }) => nodeId,
});

let screen;
let renderer;
const draw = (handle) => {
  const timeline = createElement(Timeline, {
    handle,
    drawn: (now) => {
      screen = now;
    },
  });
  const waiting = createElement(Suspense, { fallback: null }, timeline);
  return act(async () => {
    renderer = create(createElement(RelayEnvironmentProvider, { environment }, waiting));
    await fetchQuery(environment, profile, { handle }).toPromise();
  });
};

await say({
  user: async (handle) => (await fetchQuery(environment, profile, { handle }).toPromise()).user.handle,
  async page(handle, count, cursor) {
    if (!cursor) await draw(handle);
    const known = cursor ? screen.ids.length : 0;
    if (cursor) await act(() => new Promise((onComplete) => screen.loadNext(count, { onComplete })));
    return { ids: screen.ids.slice(known), cursor: 'kept by Relay' };
  },
  codeOf: ({ code: word }) => word,
  close: async () => renderer.unmount(),
});
