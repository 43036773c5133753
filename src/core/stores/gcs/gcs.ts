import { z } from 'zod';
import { Bucket, Endpoint, Prefix } from '../../text/setting-types.ts';
import type { StoreKind } from '../store-kind.ts';

const GcsSettings = z.strictObject({ bucket: Bucket, prefix: Prefix, endpoint: Endpoint });
type GcsSettings = z.output<typeof GcsSettings>;

/** `store_a`: a bucket of Google Cloud Storage. */
export const gcs = {
  settings: GcsSettings.optional().describe('A bucket of Google Cloud Storage for data exports.'),
  open: async (options) => new (await import('./gcs-store.ts')).GcsStore(options),
  exportParameters: ({ bucket }, _workspaceId, prefix) => ({
    store_a_bucket: bucket,
    store_a_prefix: prefix,
  }),
} as const satisfies StoreKind<GcsSettings>;
