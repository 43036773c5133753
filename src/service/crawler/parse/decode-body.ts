import { isUtf8 } from 'node:buffer';
// The encodings of several bytes a character.
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';
import sniffEncoding from 'html-encoding-sniffer';

/** Bytes in which browsers look for a declared encoding at least; they go on to the end of the head. */
const PRESCANNED = 1_024;
const LONGEST_HEAD = 65_536;
const HEAD_END = /<\/head|<body/i;

export interface Decoded {
  readonly text: string;
  /** Its name in the Encoding Standard, such as `windows-1252`. */
  readonly encoding: string;
}

/**
 * The text of an HTML body. The encoding is that of the byte order mark, else of the `Content-Type` header, else of a
 * `meta` element in the head (WHATWG HTML, "encoding sniffing algorithm" and "change the encoding"), or of the XML declaration. Without any of these
 * it is UTF-8 if the bytes are valid UTF-8, or the document is XML, else windows-1252, as browsers guess for pages in western
 * languages.
 *
 * A declared encoding holds even if it is wrong, as in browsers: bytes that it does not have become U+FFFD.
 */
export function decodeBody(body: Uint8Array, charset: string | null, xml = false): Decoded {
  const label = charset === null ? {} : { transportLayerEncodingLabel: charset };
  const defaultEncoding = xml || isUtf8(body) ? 'UTF-8' : 'windows-1252';
  const sniffed = xml
    ? sniffEncoding(body, { ...label, xml, defaultEncoding })
    : sniffEncoding(body, {
        ...label,
        maxPrescanBytes: charset === null ? headBytes(body) : PRESCANNED,
        defaultEncoding,
      });
  const encoding = sniffed === 'x-user-defined' ? 'windows-1252' : sniffed;
  return { text: new TextDecoder(encoding).decode(body), encoding };
}

function headBytes(body: Uint8Array): number {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, LONGEST_HEAD)).toString(
    'latin1',
  );
  const end = start.search(HEAD_END);
  return Math.max(PRESCANNED, end < 0 ? start.length : end);
}

/** An address as a document in an encoding has it: its query is of that encoding (https://url.spec.whatwg.org, "query state"). */
export function withQueryOf(encoding: string, href: string): string {
  const [, before, query, after] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(href) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is the same in each encoding
  if (query === undefined || /^[\x00-\x7f]*$/.test(query) || /^(?:utf-|replacement)/i.test(encoding))
    return href;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  const encoded = query.replaceAll(/[^\x00-\x7f]+/g, (text) =>
    percentEncodeAfterEncoding(encoding, text, ''),
  );
  return before + encoded + after;
}
