import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { FaultBox } from '../../../../src/service/sandbox/faults/fault-box.ts';
import { type Store, StoreServer } from '../../../../src/service/sandbox/stores/store-server.ts';

test('the source of a response is closed, even if the client disconnected before the first byte', async () => {
  const body = Readable.from([Buffer.from('x')]);
  const asked = Promise.withResolvers<void>();
  const store: Store = {
    place: 'store_a',
    answer: async (request) => {
      asked.resolve();
      await once((request.body as IncomingMessage).socket, 'close');
      return { status: 200, headers: { 'content-length': '1' }, body };
    },
    refusal: () => ({ status: 500 }),
    faulty: (status) => ({ status }),
  };
  await using server = await StoreServer.listen(store, new FaultBox(), '127.0.0.1');
  const client = connect(Number(new URL(server.endpoint).port), '127.0.0.1');
  client.write('GET /object HTTP/1.1\r\nhost: store\r\n\r\n');
  await asked.promise;
  client.destroy();
  await expect.poll(() => body.destroyed, { timeout: 20_000 }).toBe(true);
});
