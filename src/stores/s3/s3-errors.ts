import type { CrawlhouseError } from '../../core/errors/errors.ts';
import {
  isNetworkError,
  retryAfterMs,
  type SettingNames,
  type StoreFailure,
  storeError,
} from '../store-errors.ts';

export interface S3Place {
  readonly bucket: string;
  readonly region: string;
  /** Default: those of `store_b`. */
  readonly names?: SettingNames | undefined;
}

/** The common part of the SDK's error classes. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly Region?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

const ACCESS: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AuthorizationHeaderMalformed',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  // versitygw's word for a key that it does not know.
  'XAdminUserNotFound',
]);
const CHANGED: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed', 'InvalidRange']);
const BUSY: ReadonlySet<string> = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'Throttling']);
/** The error of a request: for a listing, for an object, or for a body that was already coming. */
export function s3Error(
  thrown: unknown,
  asked: 'list' | 'object' | 'body',
  url: string,
  place: S3Place,
): CrawlhouseError {
  const error = thrown as SdkError;
  const headers = error.$response?.headers ?? {};
  const actual = error.Region ?? headers['x-amz-bucket-region'];
  const said = error.message && error.message !== 'UnknownError' ? error.message : '';
  const status = error.$metadata?.httpStatusCode;
  return storeError(s3Failure(error, asked, actual !== undefined && actual !== place.region), {
    url,
    reason: [error.name === 'Error' ? '' : error.name, said, status ? `(${status})` : '']
      .filter(Boolean)
      .join(' '),
    ...(place.names ?? { setting: 'store_b' }),
    bucket: place.bucket,
    credentials:
      'credentials come from the standard chain of AWS: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine',
    region: { set: place.region, actual },
    retryAfterMs: retryAfterMs(headers['retry-after']),
  });
}

function s3Failure(error: SdkError, asked: 'list' | 'object' | 'body', elsewhere: boolean): StoreFailure {
  const name = error.name ?? '';
  const status = error.$metadata?.httpStatusCode;
  // A broken body is a connection error, whatever the stream reports.
  if (asked === 'body') return 'connection';
  if (elsewhere || status === 301 || status === 307) return 'wrong_region';
  if (name === 'NoSuchBucket' || name === 'InvalidBucketName') return 'no_bucket';
  if (ACCESS.has(name)) return 'access';
  if (BUSY.has(name) || status === 429 || (status !== undefined && status >= 500)) return 'unavailable';
  // A key in cold storage: refused with 403, though the right is there.
  if (name === 'InvalidObjectState') return 'refused';
  if (status === 401 || status === 403) return 'access';
  if (CHANGED.has(name) || status === 404 || status === 412 || status === 416) {
    return asked === 'list' ? 'no_bucket' : 'changed';
  }
  return status === undefined && isNetworkError(error) ? 'connection' : 'refused';
}
