import { isUtf8 } from 'node:buffer';
import sniffEncoding from 'html-encoding-sniffer';

/**
 * The text of an HTML body. The encoding is that of the byte order mark, else of the `Content-Type` header, else of a
 * `meta` element in the first 1,024 bytes (WHATWG HTML, "encoding sniffing algorithm"). Without any of these it is UTF-8
 * if the bytes are valid UTF-8, else windows-1252, as browsers guess for pages in western languages.
 *
 * A declared encoding holds even if it is wrong, as in browsers: bytes that it does not have become U+FFFD.
 */
export function decodeBody(body: Uint8Array, charset: string | null): string {
  const encoding = sniffEncoding(body, {
    ...(charset === null ? {} : { transportLayerEncodingLabel: charset }),
    defaultEncoding: isUtf8(body) ? 'UTF-8' : 'windows-1252',
  });
  return new TextDecoder(encoding === 'x-user-defined' ? 'windows-1252' : encoding).decode(body);
}
