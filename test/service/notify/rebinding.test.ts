import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Notifier } from '../../../src/service/notify/notifier.ts';
import { HostResolver } from '../../../src/site/crawler/fetch/resolve-host.ts';

/** What the name server answers, one look-up after the other; the last answer stays. */
const answers: string[][] = [];
let lookups = 0;
vi.mock('node:dns/promises', async (original) => ({
  ...(await original<typeof import('node:dns/promises')>()),
  lookup: async () => {
    lookups++;
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  },
}));

const PRIVATE = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.0', 'fd00::1'];

test('a webhook whose name resolves to this machine or its networks is not sent, even after DNS rebinding', async () => {
  let hits = 0;
  const server = createServer((_, response) => {
    hits++;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://rebinding.example:${(server.address() as AddressInfo).port}/hook`;
  await using notifier = new Notifier({ put: () => {} } as never, { allowPrivate: false });
  for (const address of PRIVATE) {
    answers.splice(0, answers.length, [address]);
    const { status_code, error } = await notifier.test('p', url, 'secret', 0);
    expect([address, status_code, error, hits]).toEqual([address, null, 'ERR_CRAWL_ADDRESS_REFUSED', 0]);
  }
  await using trusting = new Notifier({ put: () => {} } as never, { allowPrivate: true });
  answers.splice(0, answers.length, ['127.0.0.1']);
  expect(await trusting.test('p', url, undefined, 0)).toEqual({ status_code: 200, error: null });
});

test('a webhook connects only to the checked public addresses, with one lookup per connection', async () => {
  const resolver = HostResolver.forPublic({ dns: new Map(), allowPrivate: false });
  const look = () =>
    new Promise((resolve) => {
      resolver.lookup('rebinding.example', { all: true }, (error, found) => resolve(error?.code ?? found));
    });
  answers.splice(0, answers.length, ['8.8.8.8', '127.0.0.1'], ['127.0.0.1']);
  lookups = 0;
  expect(await look()).toEqual([{ address: '8.8.8.8', family: 4 }]);
  expect(lookups).toBe(1);
  expect(await look()).toBe('ERR_CRAWL_ADDRESS_REFUSED');
});
