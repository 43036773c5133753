import { z } from 'zod';
import { Bucket, Endpoint, Given, Prefix } from '../../text/setting-types.ts';
import { missingSetting, type StoreKind } from '../store-kind.ts';
import type { S3Options } from './s3-store.ts';

const S3Settings = z.strictObject({
  bucket: Bucket,
  prefix: Prefix,
  region: Given.describe('The region of the bucket.'),
  endpoint: Endpoint,
  credentials_secret: Given.optional().describe(
    'The name of the workspace secret with which the service writes to the bucket.',
  ),
});
type S3Settings = z.output<typeof S3Settings>;

/** `store_b`: a bucket of S3. */
export const s3 = {
  settings: S3Settings.optional().describe('A bucket of S3 for data exports.'),
  open: async (options: S3Options) => new (await import('./s3-store.ts')).S3Store(options),
  exportParameters: ({ bucket, region, credentials_secret: secret }, workspaceId, prefix) => {
    if (secret === undefined) throw missingSetting('store_b.credentials_secret');
    return {
      store_b_credentials: `secrets://${workspaceId}/${secret}`,
      store_b_bucket: bucket,
      store_b_region: region,
      store_b_prefix: prefix,
    };
  },
} as const satisfies StoreKind<S3Settings>;
