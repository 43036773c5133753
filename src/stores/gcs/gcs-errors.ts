import type { CrawlhouseError } from '../../core/errors/errors.ts';
import { isNetworkError, retryAfterMs, type StoreFailure, storeError } from '../store-errors.ts';

/** The common part of the SDK's errors and plain answers. */
interface GcsFailure {
  /** HTTP status, or the code of a system error. */
  readonly code?: number | string;
  /** Google's own error object, as JSON, or a sentence. */
  readonly message?: string;
  readonly errors?: readonly { readonly reason?: string }[];
  readonly response?: { readonly status?: number; readonly headers?: Readonly<Record<string, unknown>> };
}

/** 403 for too many requests, not for missing rights. */
const TOO_FAST = /rateLimitExceeded|userRateLimitExceeded|slow ?down/i;
/** How the SDK words that there are no credentials, or that they are not taken. */
const NO_CREDENTIALS =
  /default credentials|invalid_grant|invalid_client|unauthorized_client|invalid_rapt|private key|credentials? file|does not exist, or it is not a file/i;

/** The error of a request: for a listing, for an object, or for a body that was already coming. */
export function gcsError(
  thrown: unknown,
  asked: 'list' | 'object' | 'body',
  url: string,
  bucket: string,
): CrawlhouseError {
  const error = thrown as GcsFailure;
  const status = statusOf(error);
  const { message, reasons } = said(error);
  return storeError(gcsFailure(thrown, status, `${message} ${reasons}`, asked), {
    url,
    reason: [message, status === undefined ? '' : `(${status})`].filter(Boolean).join(' '),
    setting: 'store_a',
    bucket,
    credentials:
      'credentials come from the standard chain of Google Cloud: GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, or the account of the machine',
    retryAfterMs: retryAfterMs(error.response?.headers?.['retry-after']),
  });
}

function gcsFailure(
  thrown: unknown,
  status: number | undefined,
  text: string,
  asked: 'list' | 'object' | 'body',
): StoreFailure {
  if (asked === 'body') return 'connection';
  if (status === 429 || status === 408 || (status !== undefined && status >= 500)) return 'unavailable';
  if (status === 403 && TOO_FAST.test(text)) return 'unavailable';
  if (status === 401 || status === 403 || NO_CREDENTIALS.test(text)) return 'access';
  if (status === 404 || (status === 400 && asked === 'list' && /bucket name/i.test(text))) {
    return asked === 'list' ? 'no_bucket' : 'changed';
  }
  if (status === 412 || status === 416) return asked === 'list' ? 'refused' : 'changed';
  return status === undefined && isNetworkError(thrown) ? 'connection' : 'refused';
}

function statusOf(error: GcsFailure): number | undefined {
  if (typeof error.code === 'number') return error.code;
  if (typeof error.code === 'string' && /^[1-5]\d\d$/.test(error.code)) return Number(error.code);
  return error.response?.status;
}

/** The store's message, taken from its JSON if it is JSON. */
function said(error: GcsFailure): { readonly message: string; readonly reasons: string } {
  const message = (error.message ?? '').trim();
  const reasons = (error.errors ?? []).map(({ reason }) => reason ?? '');
  try {
    const { error: inner } = JSON.parse(message) as { error?: GcsFailure };
    return {
      message: inner?.message ?? message,
      reasons: [...reasons, ...(inner?.errors ?? []).map(({ reason }) => reason ?? '')].join(' '),
    };
  } catch {
    // The message is not JSON, so it is used unchanged.
    return { message, reasons: reasons.join(' ') };
  }
}
