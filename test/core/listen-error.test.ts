import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listenError } from '../../src/core/listen-error.ts';

test('a used port is named with the way to another one', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address() as AddressInfo;
  const second = createServer().listen(port, '127.0.0.1');
  const [cause] = await once(second, 'error');
  first.close();
  const error = listenError('usage', `127.0.0.1:${port}`, 'crawlhouse console --port 8093', cause);
  expect([error.exitCode, error.message, error.hint]).toEqual([
    2,
    `can't listen on 127.0.0.1:${port}: another program listens there`,
    'end that program, or choose another port: crawlhouse console --port 8093',
  ]);
});
