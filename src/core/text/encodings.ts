import { isomorphicDecode, labelToName, TextDecoder } from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** A decoder of the Encoding Standard, piece by piece. */
export type TextPieces = Pick<InstanceType<typeof globalThis.TextDecoder>, 'decode'>;
export type Utf16 = 'utf-16le' | 'utf-16be';

const UTF16_SAMPLE = 64;
/** For whole texts, which leave no state. */
const UTF8 = new TextDecoder('utf-8');

/**
 * Opens a decoder with the tables of the Encoding Standard. Node's decoder depends on the version: EUC-KR and Big5
 * differ in thousands of characters up to Node 24.21, and windows-1252 lacks typographic quotes up to Node 24.13.
 *
 * @param name an encoding of the standard, other than `replacement`
 * @param isStrict throws a TypeError for invalid bytes
 */
export function openDecoder(name: string, isStrict = false): TextPieces {
  return new TextDecoder(name, { fatal: isStrict });
}

/** Decodes a text without its byte order mark; invalid bytes become U+FFFD. */
export function decodeBytes(bytes: Uint8Array, name: string): string {
  return (/^utf-8$/i.test(name) ? UTF8 : openDecoder(name)).decode(bytes);
}

/** Returns the name of the encoding for a label such as `latin1`, or null. */
export function encodingName(label: string): string | null {
  return labelToName(label);
}

/**
 * Detects UTF-16 by its byte order mark, or by zeros in every second byte of a text that begins in Latin letters; else
 * null.
 */
export function utf16Of(head: Uint8Array): Utf16 | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const sample = head.subarray(0, UTF16_SAMPLE);
  const zeros = (from: number): number => sample.filter((byte, at) => at % 2 === from && byte === 0).length;
  if (zeros(1) > sample.length / 4 && zeros(0) === 0) return 'utf-16le';
  return zeros(0) > sample.length / 4 && zeros(1) === 0 ? 'utf-16be' : null;
}

/** Converts each byte to the character with its number, to search for ASCII in a text of any encoding. */
export function bytesAsCharacters(bytes: Uint8Array): string {
  return isomorphicDecode(bytes);
}

/** Encodes a text for the query of a URL (https://url.spec.whatwg.org, "percent-encode after encoding"). */
export function percentEncoded(text: string, name: string): string {
  return percentEncodeAfterEncoding(name, text, '');
}
