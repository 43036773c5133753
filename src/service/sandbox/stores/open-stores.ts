import { join } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { gcsUploader, s3Uploader, type Uploader } from '../exports/uploader.ts';
import type { FaultBox } from '../faults/fault-box.ts';
import { ServedGcs } from './gcs/served-gcs.ts';
import { ObjectFolder } from './object-folder.ts';
import { ServedS3 } from './s3/served-s3.ts';
import { StoreServer } from './store-server.ts';

/** A store to use instead of the built-in one. */
export interface ExternalStoreA {
  readonly endpoint: string;
  readonly bucket?: string;
}
export interface ExternalStoreB extends ExternalStoreA {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region?: string;
}

/** The stores that exports go to, as the ready document names them (interface.md, "The sandbox"). */
export interface Stores {
  readonly store_a: { readonly endpoint: string; readonly bucket: string };
  readonly store_b: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly region: string;
    readonly access_key: string;
    readonly secret_key: string;
  };
}

export interface StoreSetup {
  readonly stateDir: string;
  readonly host: string;
  readonly faults: FaultBox;
  readonly logger: Logger;
  readonly storeA?: ExternalStoreA | undefined;
  readonly storeB?: ExternalStoreB | undefined;
}

const BUCKET_A = 'sandbox-exports-a';
const BUCKET_B = 'sandbox-exports-b';
const REGION = 'eu-west-1';

/**
 * Starts the built-in stores, or uses the given ones, and ensures their buckets. Adds everything that is opened to
 * `closers`.
 *
 * @throws CrawlhouseError `usage` for a store that cannot be used
 */
export async function openStores(setup: StoreSetup, closers: AsyncDisposableStack): Promise<Stores> {
  return { store_a: await openA(setup, closers), store_b: await openB(setup, closers) };
}

async function openA(setup: StoreSetup, closers: AsyncDisposableStack): Promise<Stores['store_a']> {
  const { storeA, logger } = setup;
  if (storeA !== undefined) {
    const store = { endpoint: storeA.endpoint, bucket: storeA.bucket ?? BUCKET_A };
    await ensureBucket(await gcsUploader(store), '--store-a-endpoint', store);
    return store;
  }
  const folder = openFolder(setup, 'store_a', BUCKET_A, closers);
  const endpoint = await listen(new ServedGcs(folder, logger), setup, closers);
  return { endpoint, bucket: BUCKET_A };
}

async function openB(setup: StoreSetup, closers: AsyncDisposableStack): Promise<Stores['store_b']> {
  const { storeB, logger } = setup;
  if (storeB !== undefined) {
    const { accessKey, secretKey, endpoint, bucket = BUCKET_B, region = REGION } = storeB;
    const store = { endpoint, bucket, region, accessKey, secretKey };
    await ensureBucket(await s3Uploader(store), '--store-b-endpoint', store);
    return { endpoint, bucket, region, access_key: accessKey, secret_key: secretKey };
  }
  const folder = openFolder(setup, 'store_b', BUCKET_B, closers);
  const { accessKey, secretKey } = folder.account();
  const endpoint = await listen(new ServedS3(folder, REGION, logger), setup, closers);
  return { endpoint, bucket: BUCKET_B, region: REGION, access_key: accessKey, secret_key: secretKey };
}

function openFolder(
  { stateDir }: StoreSetup,
  name: string,
  bucket: string,
  closers: AsyncDisposableStack,
): ObjectFolder {
  const folder = closers.use(new ObjectFolder(join(stateDir, 'stores', name)));
  folder.ensureBucket(bucket);
  return folder;
}

async function listen(
  store: ServedGcs | ServedS3,
  { faults, host }: StoreSetup,
  closers: AsyncDisposableStack,
): Promise<string> {
  return closers.use(await StoreServer.listen(store, faults, host)).endpoint;
}

async function ensureBucket(
  uploader: Uploader,
  flag: string,
  { endpoint, bucket }: { readonly endpoint: string; readonly bucket: string },
): Promise<void> {
  using opened = uploader;
  try {
    await opened.ensureBucket();
  } catch (cause) {
    const { name, message } = cause as Error;
    throw new CrawlhouseError('usage', `${flag}: no bucket ${bucket} at ${endpoint}: ${name}: ${message}`, {
      cause,
      hint: 'check the address, the credentials and their permission to create a bucket',
    });
  }
}
