import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { Storage } from '@google-cloud/storage';
import { onTestFinished } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { FaultBox } from '../../../../src/service/sandbox/faults/fault-box.ts';
import { openStores, type Stores } from '../../../../src/service/sandbox/stores/open-stores.ts';

/** The built-in stores, with the official SDKs on them. */
export interface OpenedStores extends AsyncDisposable {
  readonly stores: Stores;
  readonly faults: FaultBox;
}

/** Opens the built-in stores on a folder. */
export async function openOn(stateDir: string): Promise<OpenedStores> {
  const faults = new FaultBox();
  const closers = new AsyncDisposableStack();
  const setup = { stateDir, host: '127.0.0.1', faults, logger: silentLogger };
  const stores = await openStores(setup, closers);
  return { stores, faults, [Symbol.asyncDispose]: () => closers.disposeAsync() };
}

/** The built-in stores for one test. */
export async function builtInStores(): Promise<OpenedStores> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-stores-'));
  const opened = await openOn(folder);
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  return opened;
}

/** A client of `store_b` with its keys, or others; it does not try again. */
export function s3Of({ store_b }: Stores, changes: Partial<Stores['store_b']> = {}): S3Client {
  const { endpoint, region, access_key, secret_key } = { ...store_b, ...changes };
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: access_key, secretAccessKey: secret_key },
  });
  onTestFinished(() => client.destroy());
  return client;
}

/** The bucket of `store_a`. */
export function bucketOf({ store_a }: Stores): ReturnType<Storage['bucket']> {
  return new Storage({
    apiEndpoint: store_a.endpoint,
    projectId: 'test',
    retryOptions: { autoRetry: false },
  }).bucket(store_a.bucket);
}
