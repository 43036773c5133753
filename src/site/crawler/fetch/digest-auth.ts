import { createHash, randomBytes } from 'node:crypto';
import { lookUp } from '../../../core/text/look-up.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A challenge of Digest authentication (RFC 7616). */
export type DigestChallenge = NonNullable<ReturnType<typeof readChallenge>>;

const HASHES: Readonly<Record<string, string>> = {
  md5: 'md5',
  'sha-256': 'sha256',
  'sha-512-256': 'sha512-256',
};
const PARAMETER = /([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** Returns the first Digest challenge of a `WWW-Authenticate` header that can be answered, or null. */
export function readChallenge(header: string) {
  for (const piece of header.split(/(?:^|,)\s*(?=digest\s)/i)) {
    if (!/^\s*digest\s/i.test(piece)) continue;
    const values = new Map(
      [...piece.matchAll(PARAMETER)].map(([, name = '', quoted, plain]) => [
        name.toLowerCase(),
        quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
      ]),
    );
    const nonce = values.get('nonce');
    const algorithm = values.get('algorithm');
    const qop = values.get('qop');
    const isKnown = algorithm === undefined || hashOf(algorithm) !== undefined;
    // Without any qop the form of RFC 2069 is used.
    const hasQop = qop?.split(/[\s,]+/).includes('auth') ?? false;
    if (nonce === undefined || !isKnown || (qop !== undefined && !hasQop)) continue;
    return { realm: values.get('realm') ?? '', nonce, opaque: values.get('opaque'), algorithm, hasQop };
  }
  return null;
}

export interface DigestRequest {
  readonly method: string;
  /** The request target: path and query. */
  readonly uri: string;
  /** How often this nonce was used, including this request. */
  readonly count: number;
  /** For tests; otherwise random. */
  readonly clientNonce?: string;
}

/** Returns the `Authorization` header that answers a challenge. */
export function digestAuthorization(
  challenge: DigestChallenge,
  { username, password }: Credentials,
  request: DigestRequest,
): string {
  const { realm, nonce, opaque, algorithm, hasQop } = challenge;
  const hash = (text: string): string =>
    createHash(hashOf(algorithm ?? 'md5') ?? 'md5')
      .update(text)
      .digest('hex');
  const cnonce = request.clientNonce ?? randomBytes(16).toString('hex');
  const nc = request.count.toString(16).padStart(8, '0');
  const isSession = /-sess$/i.test(algorithm ?? '');
  const user = hash(`${username}:${realm}:${password}`);
  const ha1 = isSession ? hash(`${user}:${nonce}:${cnonce}`) : user;
  const ha2 = hash(`${request.method}:${request.uri}`);
  const response = hash(hasQop ? `${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}` : `${ha1}:${nonce}:${ha2}`);
  return [
    `Digest username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(request.uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(hasQop ? ['qop=auth', `nc=${nc}`] : []),
    ...(hasQop || isSession ? [`cnonce="${cnonce}"`] : []),
  ].join(', ');
}

export function basicAuthorization({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function hashOf(algorithm: string): string | undefined {
  return lookUp(HASHES, algorithm.toLowerCase().replace(/-sess$/, ''));
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
