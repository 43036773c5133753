import type { DataExportRequest, ExportTarget } from '../../api/data-exports.ts';
import type { Resources } from '../resources/resources.ts';
import { findSecret, storeBCredentials } from './find-secret.ts';
import { gcsUploader } from './gcs-uploader.ts';
import { s3Uploader } from './s3-uploader.ts';
import type { Uploader } from './uploader.ts';

/** The addresses of the stores for exports. */
export type TargetEndpoints = Readonly<Record<ExportTarget, string>>;

/** A target of an export, opened. */
export interface ExportTargetBucket {
  readonly open: () => Promise<Uploader>;
  readonly bucket: string;
  readonly prefix: string;
  /** Secrets that must not be in any text. */
  readonly secret: string | undefined;
}

/**
 * The bucket that an export goes to, with the keys that its secret holds now.
 *
 * @throws Refusal where the secret has gone
 */
export function exportTarget(
  resources: Resources,
  endpoints: TargetEndpoints,
  request: DataExportRequest,
): ExportTargetBucket {
  if (request.target === 'store_a') {
    const { store_a_bucket: bucket, store_a_prefix: prefix } = request.target_parameters;
    const open = (): Promise<Uploader> => gcsUploader({ endpoint: endpoints.store_a, bucket });
    return { open, bucket, prefix, secret: undefined };
  }
  const parameters = request.target_parameters;
  const { store_b_bucket: bucket, store_b_prefix: prefix, store_b_region: region } = parameters;
  const value = String(findSecret(resources, parameters.store_b_credentials)._value);
  const keys = storeBCredentials(value);
  if (keys === undefined) throw new Error(`the secret ${parameters.store_b_credentials} holds no keys`);
  const target = { bucket, region, accessKey: keys.access_key, secretKey: keys.secret_key };
  const open = (): Promise<Uploader> => s3Uploader({ ...target, endpoint: endpoints.store_b });
  return { open, bucket, prefix, secret: keys.secret_key };
}
