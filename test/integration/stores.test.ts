import { Storage } from '@google-cloud/storage';
import { afterAll, beforeAll } from 'vitest';
import { gcsSpecifics } from '../core/stores/gcs-specifics.ts';
import { objectStoreContract } from '../core/stores/object-store-contract.ts';
import { s3LargeUpload, s3Specifics } from '../core/stores/s3-specifics.ts';
import { storeFaults } from '../core/stores/store-faults.ts';
import { storePages } from '../core/stores/store-pages.ts';
import { openServer, type S3Server, type StoreServer } from '../core/stores/store-server.ts';
import { storedLogs } from '../core/stores/stored-logs.ts';
import {
  createBucket,
  type RealS3,
  type RealServer,
  startFakeGcs,
  startVersitygw,
} from '../support/servers.ts';

const bucket = 'crawl-exports';
let gcs: RealServer;
let s3: RealS3;

beforeAll(async () => {
  gcs = await startFakeGcs();
  s3 = await startVersitygw();
  await new Storage({ apiEndpoint: gcs.endpoint, projectId: 'test' }).createBucket(bucket);
  await createBucket(s3, bucket);
});
afterAll(async () => {
  await gcs?.[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
});

const storeA = (): StoreServer => ({ kind: 'store_a', endpoint: gcs.endpoint, bucket });
const storeB = (): S3Server => {
  const { endpoint, region, accessKey, secretKey } = s3;
  return { kind: 'store_b', endpoint, bucket, region, accessKey, secretKey };
};

for (const [name, server] of [
  ['fake-gcs-server', storeA],
  ['versitygw', storeB],
] as const) {
  objectStoreContract(name, {
    open: () => openServer(server()),
    openMissing: () => openServer({ ...server(), bucket: 'no-such-bucket' }),
    verified: 'md5',
  });
  storeFaults(name, server);
  storePages(name, server);
  storedLogs(name, server);
}
gcsSpecifics('fake-gcs-server', storeA);
s3Specifics('versitygw', storeB);
s3LargeUpload('versitygw', storeB);
