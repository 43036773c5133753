import { isomorphicDecode, labelToName, TextDecoder } from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** A decoder of the Encoding Standard, piece by piece. */
export type TextPieces = Pick<InstanceType<typeof globalThis.TextDecoder>, 'decode'>;
export type Utf16 = 'utf-16le' | 'utf-16be';

const UTF16_SAMPLE = 64;

/**
 * A decoder by the tables of the Encoding Standard. That of Node depends on the version: up to Node 24.21, EUC-KR and Big5
 * differ in thousands of characters, and up to 24.13, windows-1252 has no typographic quotes.
 *
 * @param name an encoding of the standard, other than `replacement`
 * @param isStrict throws a TypeError for bytes that the encoding does not have
 */
export function openDecoder(name: string, isStrict = false): TextPieces {
  return new TextDecoder(name, { fatal: isStrict });
}

/** The text without its byte order mark; bytes that the encoding does not have become U+FFFD. */
export function decodeBytes(bytes: Uint8Array, name: string): string {
  return openDecoder(name).decode(bytes);
}

/** The name of the encoding that a label such as `latin1` means, or null. */
export function encodingName(label: string): string | null {
  return labelToName(label);
}

/** UTF-16 by its byte order mark, or by the zero in each second byte of a text that begins in Latin letters; else null. */
export function utf16Of(head: Uint8Array): Utf16 | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const sample = head.subarray(0, UTF16_SAMPLE);
  const zeros = (from: number): number => sample.filter((byte, at) => at % 2 === from && byte === 0).length;
  if (zeros(1) > sample.length / 4 && zeros(0) === 0) return 'utf-16le';
  return zeros(0) > sample.length / 4 && zeros(1) === 0 ? 'utf-16be' : null;
}

/** Each byte as the character of its number, to look for ASCII in a text of any encoding. */
export function bytesAsCharacters(bytes: Uint8Array): string {
  return isomorphicDecode(bytes);
}

/** A text as the query of a URL has it in an encoding (https://url.spec.whatwg.org, "percent-encode after encoding"). */
export function percentEncoded(text: string, name: string): string {
  return percentEncodeAfterEncoding(name, text, '');
}
