/** A compiled Relay project: relay/timeline.js, with artefacts by `relay-compiler`, rendered with React. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { transformSync } from '@babel/core';
import { createElement, Suspense } from 'react';
import { create } from 'react-test-renderer';
import { headers, say, url } from './say.mjs';

const require = createRequire(import.meta.url);
const { RelayEnvironmentProvider, fetchQuery } = require('react-relay');
const { Environment, Network, RecordSource, Store } = require('relay-runtime');

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

/** Waits until something is rendered, as a user does. */
async function until(isSo) {
  while (!isSo()) await setTimeout(20);
}

await say({
  user: async (handle) => (await fetchQuery(environment, profile, { handle }).toPromise()).user.handle,
  async page(handle, count, cursor) {
    if (cursor) {
      const known = screen.ids.length;
      await until(() => {
        if (screen.ids.length === known && !screen.isLoadingNext) screen.loadNext(count);
        return screen.ids.length > known;
      });
      return { ids: screen.ids.slice(known), cursor };
    }
    const drawn = (now) => {
      screen = now;
    };
    const timeline = createElement(Suspense, { fallback: null }, createElement(Timeline, { handle, drawn }));
    create(createElement(RelayEnvironmentProvider, { environment }, timeline));
    await until(() => screen !== undefined);
    return { ids: screen.ids, cursor: 'kept by Relay' };
  },
  codeOf: ({ code: word }) => word,
  // Relay keeps unused data, and with it the process, for some more minutes.
  close: async () => process.exit(),
});
