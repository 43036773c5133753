// biome-ignore-all lint/suspicious/noControlCharactersInRegex: the marks of binary formats have them
import { bytesAsCharacters } from '../../../core/text/encodings.ts';
import { decodeContent } from '../fetch/content-encoding.ts';
import type { Fetched } from '../records/records.ts';
import { contentType, isHtml, isXml } from './decode-body.ts';

/** The kind of a response. `html`, `pdf` and `text` are pages to search engines, the others are files. */
export type ContentKind =
  | 'html'
  | 'pdf'
  | 'text'
  | 'image'
  | 'video'
  | 'audio'
  | 'archive'
  | 'office'
  | 'feed'
  | 'calendar'
  | 'json'
  | 'xml'
  | 'script'
  | 'style'
  | 'font'
  | 'other';

/** Kinds that search engines index as pages. */
const PAGES: readonly ContentKind[] = ['html', 'pdf', 'text'];
/** Types without information. */
const OCTETS: readonly string[] = ['application/octet-stream', 'binary/octet-stream'];
/** Bytes of a text that may be JSON, regardless of its type. */
const MOST_JSON = 5_000_000;
/** Searched bytes: up to the mark of a tar archive, and the names of the first files of a zip archive. */
const SNIFFED_BYTES = 2_048;

/**
 * The first bytes of binary formats (https://mimesniff.spec.whatwg.org, and the formats' own specifications). No text
 * begins like this, regardless of its type.
 */
const SIGNATURES: readonly (readonly [RegExp, ContentKind])[] = [
  [/^%PDF-/, 'pdf'],
  [
    /^(?:\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|RIFF.{4}WEBP|\0\0\x01\0|II\*\0|MM\0\*|\xff\x0a|\0\0\0\x0cJXL )/s,
    'image',
  ],
  [/^.{4}ftyp(?:avif|avis|heic|heix|heif|mif1|msf1)/s, 'image'],
  [/^(?:ID3|fLaC|OggS|MThd\0\0|RIFF.{4}WAVE|FORM.{4}AIF|.{4}ftypM4[AB])/s, 'audio'],
  [/^(?:.{4}ftyp|\x1aE\xdf\xa3|RIFF.{4}AVI |FLV\x01|\0\0\x01[\xb3\xba])/s, 'video'],
  [/^(?:\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|\{\\rtf)/, 'office'],
  [
    /^PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels\/|docProps\/|(?:word|xl|ppt)\/|mimetypeapplication\/)/s,
    'office',
  ],
  [
    /^(?:PK\x03\x04|PK\x05\x06|\x1f\x8b\x08|Rar!\x1a\x07|7z\xbc\xaf\x27\x1c|BZh[1-9]|\xfd7zXZ\0|\x28\xb5\x2f\xfd)/,
    'archive',
  ],
  [/^.{257}ustar/s, 'archive'],
  [/^(?:wOF[F2]|OTTO\0|ttcf\0|\0\x01\0\0\0)/, 'font'],
  [/^\0asm/, 'script'],
];
/** Matches any signature: one test for the many pages without one. */
const SIGNED = new RegExp(SIGNATURES.map(([{ source }]) => `(?:${source})`).join('|'), 's');
/** Beginnings of texts that servers send as HTML or plain text. */
const TEXTS: readonly (readonly [RegExp, ContentKind])[] = [
  [/^\s*BEGIN:V(?:CALENDAR|CARD)\b/i, 'calendar'],
  [
    /^(?:<\?[^>]*>|<!--(?:(?!-->).)*-->|<!doctype (?:rss|rdf)[^>]*>|\s)*<(?:rss|feed|rdf:RDF)[\s>/]/is,
    'feed',
  ],
];

/** The kinds of media types, the first that applies. */
const TYPES: readonly (readonly [RegExp, ContentKind])[] = [
  [/^application\/pdf$/, 'pdf'],
  [/^image\//, 'image'],
  [/^video\/|^application\/(?:vnd\.apple\.mpegurl|x-mpegurl|dash\+xml|mp4)$/, 'video'],
  [/^audio\/|^application\/ogg$/, 'audio'],
  [/^font\/|^application\/(?:x-)?(?:font|vnd\.ms-fontobject)/, 'font'],
  [
    /^application\/(?:msword|rtf|epub\+zip|vnd\.(?:ms-|openxmlformats|oasis\.|apple\.(?:pages|numbers|keynote)))|^text\/rtf$/,
    'office',
  ],
  [
    /^application\/(?:x-)?(?:zip|gzip|tar|gtar|7z|rar|bzip2?|xz|zstd|java-archive|compress|zip-compressed|rar-compressed|7z-compressed|apple-diskimage|iso9660-image|vnd\.(?:rar|android))/,
    'archive',
  ],
  [
    /^(?:text|application)\/(?:calendar|vcard|directory|x-vcard|x-vcalendar)$|^application\/calendar\+/,
    'calendar',
  ],
  [/^application\/(?:rss|atom|rdf)\+xml$|^application\/feed\+json$/, 'feed'],
  [
    /^(?:text|application)\/(?:x-)?(?:javascript|ecmascript|jscript|typescript)$|^application\/wasm$/,
    'script',
  ],
  [/^text\/css$/, 'style'],
  [/^(?:text|application)\/(?:x-)?(?:json|ndjson|jsonl?)$|\+json$/, 'json'],
  [/^text\/(?:plain|markdown|x-markdown)$/, 'text'],
];

/**
 * Returns the kind of a response, by its `Content-Type`; or by its first bytes if there is no type, or if the bytes
 * contradict the type. For example, an image, an archive or a feed that is sent as `text/html` is not a page. The path
 * is ignored.
 *
 * @returns null for a text that is sent as bytes without a type
 */
export function contentKind(headers: Fetched['headers'], body: Uint8Array): ContentKind | null {
  const { type } = contentType(headers);
  const declared = kindOfType(type);
  const start = bytesAsCharacters(body.subarray(0, SNIFFED_BYTES));
  const signed = SIGNED.test(start) ? SIGNATURES.find(([pattern]) => pattern.test(start))?.[1] : undefined;
  // Office files are archives, and sound may have the container of a film.
  const isWithin =
    (signed === 'archive' && declared === 'office') || (signed === 'video' && declared === 'audio');
  if (signed !== undefined) return isWithin && declared !== null ? declared : signed;
  const isVague = declared === null || declared === 'text' || declared === 'xml';
  const isPage = isHtml(headers, body);
  if (!isPage && !isVague) return declared;
  const text = TEXTS.find(([pattern]) => pattern.test(start.replace(/^\xef\xbb\xbf/, '')))?.[1];
  if (text !== undefined) return text;
  if (declared !== 'xml' && isJson(start, body)) return 'json';
  if (isPage) return 'html';
  if (declared !== null) return declared;
  if (/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(start)) return 'other';
  if (type === null) return 'text';
  return OCTETS.includes(type) ? null : 'other';
}

function kindOfType(type: string | null): ContentKind | null {
  if (type === null || type === 'text/html') return null;
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? (isXml(type) ? 'xml' : null);
}

function isJson(start: string, body: Uint8Array): boolean {
  if (body.length > MOST_JSON || !/^(?:\xef\xbb\xbf)?\s*[[{]/.test(start)) return false;
  try {
    JSON.parse(
      Buffer.from(body)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
    return true;
  } catch {
    // A text that begins with a bracket.
    return false;
  }
}

/** Returns whether a response is not a page, if its kind is known. */
export function isFile(kind: string | null): boolean {
  return kind !== null && !PAGES.some((page) => page === kind);
}

/**
 * Returns the decoded body of an HTML page with a status of 200 to 299, up to `limit` bytes, or null for other pages.
 */
export function htmlBody(
  { statusCode, headers, body }: Pick<Fetched, 'statusCode' | 'headers' | 'body'>,
  limit: number,
): Uint8Array | null {
  if (statusCode === null || statusCode < 200 || statusCode > 299 || body === null) return null;
  const plain = decodeContent(body, headers, limit).body;
  return plain !== null && plain.length > 0 && contentKind(headers, plain) === 'html' ? plain : null;
}
