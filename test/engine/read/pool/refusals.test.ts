import { expect, test } from 'vitest';
import { shareTaken } from '../../../../src/read/pool/refusals.js';

test.each([
  [
    1,
    1.5,
    'This account has 1 read waiting for the network; its share of the queue is currently 1. Try again in 2 s with fewer at once',
  ],
  [500, 500.3, 'This account has 500 reads waiting for the network; its share of the queue is currently 500.'],
  // When the queue is full for everybody, the account's own reads are not given as the reason.
  [0, 0, 'The queue for the network is full: all 2,000 slots are taken. Try again in 2 s; nothing was charged.'],
  [3, 0.4, 'The queue for the network is full: all 2,000 slots are taken. Try again in 2 s; nothing was charged.'],
])('explains the refusal to an account with %d queued reads and a share of %d', (own, share, message) => {
  expect(shareTaken(own, share, 1_500).message).toContain(message);
});
