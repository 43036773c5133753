import { CrawlhouseError } from '../errors/errors.ts';

/** The wait after a store's "slow down" without a time. */
const SLOW_DOWN_MS = 1000;

/** The kinds of a request's failure, independent of the store's SDK. */
export type StoreFailure =
  /** Missing, wrong or expired credentials, or a missing permission. */
  | 'access'
  | 'no_bucket'
  | 'wrong_region'
  /** The object is gone or has another version. */
  | 'changed'
  | 'unavailable'
  | 'connection'
  | 'refused';

export interface SettingNames {
  /** The name of the store's setting: `store_b`. */
  readonly setting: string;
  /** The source of the bucket, if it is not the `bucket` of the setting. */
  readonly location?: string;
}

export interface FailureFacts extends SettingNames {
  /** The requested object: `s3://bucket/key`. */
  readonly url: string;
  readonly reason: string;
  readonly bucket: string;
  /** The source of the credentials, in one sentence. */
  readonly credentials: string;
  readonly region?: { readonly set: string; readonly actual: string | undefined } | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Makes the error of a failure. Errors of SDKs are never its cause: they contain requests with tokens. */
export function storeError(failure: StoreFailure, facts: FailureFacts): CrawlhouseError {
  const { url, reason, setting, location, bucket } = facts;
  switch (failure) {
    case 'access':
      return new CrawlhouseError('store_access', `${url}: ${reason}`, { hint: facts.credentials });
    case 'no_bucket': {
      const named = location ?? `${setting}.bucket`;
      const variable = location === undefined ? ` or CRAWLHOUSE_${setting.toUpperCase()}_BUCKET` : '';
      return new CrawlhouseError('bad_settings', `${named}: there is no bucket ${bucket}: ${reason}`, {
        hint: `set ${named} in crawlhouse.yaml${variable}`,
      });
    }
    case 'wrong_region': {
      const { set, actual } = facts.region ?? { set: '', actual: undefined };
      return new CrawlhouseError(
        'bad_settings',
        `${setting}.region: the bucket ${bucket} is not in ${set}${actual ? ` but in ${actual}` : ''}: ${reason}`,
        { hint: `set ${setting}.region to ${actual ?? 'the region of the bucket'}` },
      );
    }
    case 'changed':
      return new CrawlhouseError('object_changed', `${url} was replaced or deleted since it was listed`);
    case 'unavailable':
      return new CrawlhouseError('store_unavailable', `${url}: ${reason}`, {
        retryAfterMs: facts.retryAfterMs ?? SLOW_DOWN_MS,
      });
    case 'connection':
      return new CrawlhouseError('connection', `${url}: ${reason}`);
    case 'refused':
      return new CrawlhouseError('store_refused', `${url}: ${reason}`);
  }
}

/** Returns the milliseconds of a `Retry-After` header in seconds, as both clouds send it. */
export function retryAfterMs(header: unknown): number | undefined {
  return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

export function isNetworkError(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const code = (one as { code?: unknown }).code;
    if (typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_\w+|ERR_STREAM_PREMATURE_CLOSE)$/.test(code)) {
      return code !== 'ENOENT' && code !== 'EACCES';
    }
    if (one.name === 'TimeoutError' || /socket hang up|aborted|timed? ?out|terminated/i.test(one.message)) {
      return true;
    }
  }
  return false;
}
