import { gcsSpecifics } from './gcs-specifics.ts';
import { objectStoreContract } from './object-store-contract.ts';
import { s3Specifics } from './s3-specifics.ts';
import { sandboxStores } from './sandbox-stores.ts';
import { storeFaults } from './store-faults.ts';
import { openServer } from './store-server.ts';
import { storedLogFaults } from './stored-logs.ts';

const { storeA, storeB } = sandboxStores();

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
  storedLogFaults(name, server);
}
gcsSpecifics("the sandbox's store_a", storeA);
s3Specifics("the sandbox's store_b", storeB);
