import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { lookUp } from '../../../../core/text/look-up.ts';
import type { StoreRequest } from '../store-server.ts';
import { S3Error } from './s3-error.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const MOST_SKEW_MS = 15 * 60 * 1000;
const LONGEST_EXPIRY_S = 7 * 24 * 3600;

export interface SignatureRules {
  readonly region: string;
  readonly secretOf: (accessKey: string) => string | undefined;
  readonly now: number;
}

interface Signed {
  readonly accessKey: string;
  /** `<day>/<region>/s3/aws4_request`. */
  readonly scope: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Such as `20250102T030405Z`. */
  readonly date: string;
  readonly payloadHash: string;
}

/**
 * Checks the signature of a request (Signature Version 4), in its headers or, presigned, in its query. Returns the
 * expected hash of the body (`x-amz-content-sha256`).
 *
 * @throws S3Error with the code that S3 answers in the same case
 */
export function checkSignature(request: Signable, rules: SignatureRules): string {
  const query = new URLSearchParams(request.rawQuery);
  const presigned = query.has('X-Amz-Algorithm');
  const signed = presigned ? fromQuery(query, rules.now) : fromHeaders(request.headers, rules.now);
  const [day = '', region = '', service, terminator] = signed.scope.split('/');
  if (region !== rules.region) {
    const code = presigned ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed';
    const message = `The authorization is malformed; the region '${region}' is wrong; expecting '${rules.region}'`;
    throw new S3Error(code, message, { Region: rules.region });
  }
  if (service !== 's3' || terminator !== 'aws4_request' || !signed.date.startsWith(day)) {
    throw new S3Error(
      'AuthorizationHeaderMalformed',
      'The credential scope is not <day>/<region>/s3/aws4_request',
    );
  }
  const secret = rules.secretOf(signed.accessKey);
  if (secret === undefined)
    throw new S3Error('InvalidAccessKeyId', 'The AWS access key id you provided does not exist', {
      AWSAccessKeyId: signed.accessKey,
    });
  refuseUnsignedHeaders(request.headers, signed.signedHeaders);
  const canonical = canonicalRequest(request, signed.signedHeaders, signed.payloadHash);
  const expected = signatureOf(secret, signed, canonical);
  const given = Buffer.from(signed.signature, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const message =
      'The request signature does not match: check the secret access key and the signing method';
    throw new S3Error('SignatureDoesNotMatch', message, { AWSAccessKeyId: signed.accessKey });
  }
  return signed.payloadHash;
}

function fromHeaders(headers: Readonly<Record<string, string>>, now: number): Signed {
  const { authorization } = headers;
  if (authorization === undefined)
    throw new S3Error('AccessDenied', 'Access Denied: the request is not signed');
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=(\w+)$/.exec(
      authorization,
    );
  if (parts === null)
    throw new S3Error('AuthorizationHeaderMalformed', `The authorization header is not one of ${ALGORITHM}`);
  const [, accessKey = '', scope = '', names = '', signature = ''] = parts;
  const date = headers['x-amz-date'] ?? '';
  const payloadHash = headers['x-amz-content-sha256'];
  if (payloadHash === undefined) throw new S3Error('InvalidRequest', 'Missing header: x-amz-content-sha256');
  if (Math.abs(timeOf(date) - now) > MOST_SKEW_MS)
    throw new S3Error('RequestTimeTooSkewed', 'The difference between the request time and now is too large');
  return { accessKey, scope, signedHeaders: names.split(';'), signature, date, payloadHash };
}

function fromQuery(query: URLSearchParams, now: number): Signed {
  const [accessKey = '', ...scope] = (query.get('X-Amz-Credential') ?? '').split('/');
  const expires = Number(query.get('X-Amz-Expires'));
  const date = query.get('X-Amz-Date') ?? '';
  if (query.get('X-Amz-Algorithm') !== ALGORITHM || !(expires > 0 && expires <= LONGEST_EXPIRY_S))
    throw new S3Error('AuthorizationQueryParametersError', 'X-Amz-Algorithm or X-Amz-Expires does not fit');
  const begin = timeOf(date);
  if (!(now <= begin + expires * 1000)) throw new S3Error('AccessDenied', 'Request has expired');
  if (begin > now + MOST_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not valid yet');
  return {
    accessKey,
    scope: scope.join('/'),
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
    date,
    payloadHash: query.get('X-Amz-Content-Sha256') ?? UNSIGNED_PAYLOAD,
  };
}

/** Returns the milliseconds since 1970 of `20250102T030405Z`. */
function timeOf(date: string): number {
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(time)) throw new S3Error('AccessDenied', 'The request has no valid x-amz-date');
  return time;
}

function refuseUnsignedHeaders(headers: Readonly<Record<string, string>>, signed: readonly string[]): void {
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  const missing = needed.filter((name) => !signed.includes(name));
  if (missing.length > 0) {
    const message = 'There were headers present in the request which were not signed';
    throw new S3Error('AccessDenied', message, { HeadersNotSigned: missing.join(', ') });
  }
}

function signatureOf(secret: string, { scope, date }: Signed, canonical: string): Buffer {
  const key = scope.split('/').reduce<Buffer>((so, part) => hmac(so, part), Buffer.from(`AWS4${secret}`));
  return hmac(key, [ALGORITHM, date, scope, hash('sha256', canonical)].join('\n'));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

export type Signable = Pick<StoreRequest, 'method' | 'path' | 'rawQuery' | 'headers'>;

/** Returns the canonical request of Signature Version 4, as in S3: the path is encoded once, and not normalized. */
function canonicalRequest(
  { method, path, rawQuery, headers }: Signable,
  signedHeaders: readonly string[],
  payloadHash: string,
): string {
  const signed = signedHeaders.map(
    (name) => `${name}:${(lookUp(headers, name) ?? '').trim().replace(/ +/g, ' ')}\n`,
  );
  return [
    method,
    decoded(path).split('/').map(awsEncoded).join('/'),
    canonicalQuery(rawQuery),
    signed.join(''),
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

/** Parameters sorted by name, then value, without the signature itself. */
function canonicalQuery(rawQuery: string): string {
  const pairs = rawQuery
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith('X-Amz-Signature='))
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [awsEncoded(decoded(name)), awsEncoded(decoded(value))] as const;
    });
  return pairs
    .sort(([a, x], [b, y]) => order(a, b) || order(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Percent-encoding of AWS: everything except letters, digits, `-`, `.`, `_` and `~`. */
export function awsEncoded(text: string): string {
  const strict = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, strict);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: signed unchanged.
    return text;
  }
}
