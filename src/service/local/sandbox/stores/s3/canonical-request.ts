/** The parts of a request that a signature covers. */
export interface Signable {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The canonical request of Signature Version 4, as S3 makes it: the path is encoded once, and not normalised. */
export function canonicalRequest(
  { method, path, rawQuery, headers }: Signable,
  signedHeaders: readonly string[],
  payloadHash: string,
): string {
  const signed = signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
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

/** Percent-encoding as AWS wants it: everything but letters, digits, `-`, `.`, `_` and `~`. */
export function awsEncoded(text: string): string {
  const strict = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, strict);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoding: signed as it stands.
    return text;
  }
}
