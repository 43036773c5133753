import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { headerValues } from '../parse/headers.ts';

/** The encodings that the crawler requests from servers. */
export const ACCEPT_ENCODING = 'gzip, br, zstd, deflate';
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants;

export interface DecodedBody {
  /** At most `limit` bytes; null if it does not match the content encoding of its headers. */
  readonly body: Uint8Array | null;
  readonly isTruncated: boolean;
}

/**
 * Decodes a body by the content encodings of all its headers. An unknown encoding, such as `UTF-8`, leaves the body
 * unchanged, as in browsers. If a body ends early, returns the decoded part. Cuts a body that grows beyond the limit,
 * however small the transfer was.
 */
export function decodeContent(
  body: Uint8Array,
  headers: readonly (readonly [name: string, value: string])[],
  limit: number,
): DecodedBody {
  const encodings = headerValues(headers, 'content-encoding')
    .join()
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  let decoded: DecodedBody = { body, isTruncated: false };
  if (!encodings.every((encoding) => DECODERS.has(encoding))) return decoded;
  for (const encoding of encodings.reverse()) {
    if (decoded.body === null || decoded.body.length === 0) return decoded;
    const { body: plain, isTruncated } = decodeOnce(decoded.body, encoding, limit);
    decoded = { body: plain, isTruncated: isTruncated || decoded.isTruncated };
  }
  return decoded;
}

function decodeOnce(body: Uint8Array, encoding: string, limit: number): DecodedBody {
  const decode = DECODERS.get(encoding) ?? gunzip;
  try {
    return { body: decode(body, limit), isTruncated: false };
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    // Node drops its output when the limit is reached, so a shorter piece of the input is decoded.
    return isLarge ? decodeStart(body, decode, limit) : { body: null, isTruncated: false };
  }
}

/** Returns the longest start of the input, by halves, that stays within the limit. */
function decodeStart(body: Uint8Array, decode: Decoder, limit: number): DecodedBody {
  for (let length = body.length >> 1; length > 64; length >>= 1) {
    try {
      return { body: decode(body.subarray(0, length), limit), isTruncated: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') break;
    }
  }
  return { body: new Uint8Array(0), isTruncated: true };
}

type Decoder = (body: Uint8Array, limit: number) => Uint8Array;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  [
    'br',
    (bytes, most) =>
      brotliDecompressSync(bytes, { maxOutputLength: most, finishFlush: BROTLI_OPERATION_FLUSH }),
  ],
  ['zstd', (bytes, most) => zstdDecompressSync(bytes, { maxOutputLength: most, finishFlush: ZSTD_e_flush })],
]);

/** Decodes `deflate`, which some servers send without the zlib header that RFC 9110 §8.4.1.2 requires. */
function inflate(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const isZlib = ((bytes[0] ?? 0) & 15) === 8 && (((bytes[0] ?? 0) << 8) + (bytes[1] ?? 0)) % 31 === 0;
  return (isZlib ? inflateSync : inflateRawSync)(bytes, { maxOutputLength, finishFlush: Z_SYNC_FLUSH });
}

/** Decodes gzip. Like browsers, checks neither the checksum and the length at the end nor any data after them. */
function gunzip(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const options = { maxOutputLength, finishFlush: Z_SYNC_FLUSH };
  try {
    return gunzipSync(bytes, options);
  } catch (error) {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
    if (!isGzip || (error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error;
    return inflateRawSync(bytes.subarray(headerLength(bytes)), options);
  }
}

/** Returns the bytes of the gzip header (RFC 1952 §2.3): ten, and those that its flags announce. */
function headerLength(bytes: Uint8Array): number {
  const flags = bytes[3] ?? 0;
  const behindText = (at: number): number => bytes.indexOf(0, at) + 1 || bytes.length;
  let at = 10;
  if ((flags & 4) > 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  if ((flags & 8) > 0) at = behindText(at);
  if ((flags & 16) > 0) at = behindText(at);
  return (flags & 2) > 0 ? at + 2 : at;
}
