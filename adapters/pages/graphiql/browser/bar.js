// The strip above GraphiQL: the key's state and the notice below it.

import { byId } from './dom.js';
import { keyName } from './session.js';

/** `notice`: `{ tone: 'good' | 'warn' | 'bad', parts }`, or null to remove it. */
export function showNotice(notice) {
  const box = byId('notice');
  box.hidden = notice === null;
  if (notice === null) return;
  box.dataset.tone = notice.tone;
  byId('notice-text').replaceChildren(...notice.parts);
}

export function showKey(key, demoKey) {
  byId('key-form').hidden = key !== null;
  byId('key-state').hidden = key === null;
  byId('key-input').value = '';
  if (key === null) return;
  byId('key-kind').textContent = key === demoKey ? 'Demo key' : key.startsWith('perch_test_') ? 'Test key' : 'Key';
  byId('key-name').textContent = keyName(key);
}

/** `actions`: `{ takeKey(key), takeTestKey(), forget(), price() }`. */
export function listen(actions, demoKey) {
  byId('use-demo')?.addEventListener('click', () => actions.takeKey(demoKey));
  byId('use-test').addEventListener('click', actions.takeTestKey);
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    actions.takeKey(byId('key-input').value.trim());
  });
  byId('key-forget').addEventListener('click', actions.forget);
  byId('price-it').addEventListener('click', actions.price);
  byId('notice-close').addEventListener('click', () => showNotice(null));
}
