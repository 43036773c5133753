import type { ObjectFolder } from '../object-folder.ts';
import type { StoreRequest } from '../store-server.ts';

/** A request whose signature holds, for one bucket or object. */
export interface S3Request {
  readonly folder: ObjectFolder;
  readonly request: StoreRequest;
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  /** The hash of the body, or its form (`x-amz-content-sha256`). */
  readonly payloadHash: string;
}
