import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { silentLogger } from '../../src/core/logger.ts';
import { FaultBox } from '../../src/sandbox/faults/fault-box.ts';
import { openStores, type Stores } from '../../src/sandbox/stores/open-stores.ts';
import { gcsSpecifics } from './gcs-specifics.ts';
import { objectStoreContract } from './object-store-contract.ts';
import { s3Specifics } from './s3-specifics.ts';
import { storeFaults } from './store-faults.ts';
import { storePages } from './store-pages.ts';
import { openServer, type S3Server, type StoreServer } from './store-server.ts';

let stores: Stores;
let stateDir: string;
const closers: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'crawlhouse-stores-'));
  const setup = { stateDir, host: '127.0.0.1', faults: new FaultBox(), logger: silentLogger };
  stores = await openStores(setup, closers);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await rm(stateDir, { recursive: true, force: true });
});

const storeA = (): StoreServer => ({ kind: 'store_a', ...stores.store_a });
const storeB = (): S3Server => {
  const { access_key: accessKey, secret_key: secretKey, ...place } = stores.store_b;
  return { kind: 'store_b', ...place, accessKey, secretKey };
};

for (const [name, server] of [
  ["the sandbox's store_a", storeA],
  ["the sandbox's store_b", storeB],
] as const) {
  objectStoreContract(name, {
    open: () => openServer(server()),
    openMissing: () => openServer({ ...server(), bucket: 'no-such-bucket' }),
    verified: 'md5',
  });
  storeFaults(name, server);
  storePages(name, server);
}
gcsSpecifics("the sandbox's store_a", storeA);
s3Specifics("the sandbox's store_b", storeB);
