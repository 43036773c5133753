import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { FaultBox } from '../../../src/service/sandbox/faults/fault-box.ts';
import { openStores, type Stores } from '../../../src/service/sandbox/stores/open-stores.ts';
import type { S3Server, StoreServer } from './store-server.ts';

/** The stores of the sandbox, open for all tests of a file. */
export function sandboxStores(): { readonly storeA: () => StoreServer; readonly storeB: () => S3Server } {
  let stores: Stores;
  let stateDir: string;
  const closers = new AsyncDisposableStack();

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'crawlhouse-stores-'));
    const setup = { stateDir, host: '127.0.0.1', faults: new FaultBox(), logger: silentLogger };
    stores = await openStores(setup, closers);
  });
  afterAll(async () => {
    await closers.disposeAsync();
    await rm(stateDir, { recursive: true, force: true });
  });

  const storeA = (): StoreServer => ({ kind: 'store_a', ...stores.store_a });
  const storeB = (): S3Server => {
    const { access_key: accessKey, secret_key: secretKey, ...place } = stores.store_b;
    return { kind: 'store_b', ...place, accessKey, secretKey };
  };
  return { storeA, storeB };
}
