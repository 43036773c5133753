import { onTestFinished, vi } from 'vitest';
import { gcs } from '../../../src/core/stores/gcs/gcs.ts';
import type { ObjectStore } from '../../../src/core/stores/object-store.ts';
import { s3 } from '../../../src/core/stores/s3/s3.ts';
import type { RetryPolicy } from '../../../src/core/time/retry.ts';

/** A running server of a store: the sandbox's own or a public one. */
export type StoreServer = GcsServer | S3Server;

interface GcsServer {
  readonly kind: 'store_a';
  readonly endpoint: string;
  readonly bucket: string;
}

export interface S3Server {
  readonly kind: 'store_b';
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Tries as often as the default, but without waiting as long. */
export const QUICK: RetryPolicy = { attempts: 4, baseMs: 5, maxMs: 20 };

/** Opens a store as the pipeline does, its credentials in the environment where the standard chain looks first. */
export async function openServer(
  server: StoreServer,
  options: { readonly idleMs?: number } = {},
): Promise<ObjectStore> {
  const { bucket, endpoint } = server;
  if (server.kind === 'store_a') {
    return gcs.open({ bucket, endpoint, retry: QUICK, ...options });
  }
  awsEnvironment(server.accessKey, server.secretKey);
  return s3.open({ bucket, endpoint, region: server.region, retry: QUICK, ...options });
}

/** What the standard chain of AWS finds, for one test: these keys, and nothing of this machine. */
export function awsEnvironment(accessKey: string | undefined, secretKey: string | undefined): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretKey);
  for (const name of ['AWS_SESSION_TOKEN', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere/config');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}
