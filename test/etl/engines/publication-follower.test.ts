import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { PublicationFollower } from '../../../src/etl/engines/publication-follower.ts';
import { errorOf } from '../../support/error-of.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a failed check fails again for ten seconds, without requests to Trino', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.writeHead(401).end('no');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
    server.close();
  });
  const folder = await temporaryFolder();
  const engine = {
    engine: 'trino',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    catalog: 'lake',
    schemaPrefix: '',
    bucket: 'b',
    folder: 'rows',
    region: 'r',
    endpoint: undefined,
    user: 'reader',
    credentials: undefined,
    authority: undefined,
  };
  const place = { warehouse: join(folder, 'warehouse.duckdb'), state_dir: join(folder, 'state'), engine };
  const follower = new PublicationFollower(place, silentLogger);
  // What its caller breaks off is no look.
  await expect(follower.follow(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(asked).toBe(0);
  const failed = await errorOf(follower.follow());
  expect([failed.code, asked]).toEqual(['engine_access', 1]);
  expect([await errorOf(follower.follow()), asked]).toEqual([failed, 1]);
  vi.advanceTimersByTime(10_000);
  expect([(await errorOf(follower.follow())).code, asked]).toEqual(['engine_access', 2]);
});
