import { gcsSpecifics } from '../stores/gcs-specifics.ts';
import { objectStoreContract } from '../stores/object-store-contract.ts';
import { s3Specifics } from '../stores/s3-specifics.ts';
import { sandboxStores } from '../stores/sandbox-stores.ts';
import { storeFaults } from '../stores/store-faults.ts';
import { openServer } from '../stores/store-server.ts';
import { storedLogFaults } from '../stores/stored-logs.ts';

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
