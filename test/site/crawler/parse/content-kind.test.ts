import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentKind, isFile } from '../../../../src/site/crawler/parse/content-kind.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { runs } from '../../../support/runs.ts';

const typed = (type: string | null): [string, string][] => (type === null ? [] : [['content-type', type]]);
const kindOf = (type: string | null, body: string | Uint8Array): string | null =>
  contentKind(typed(type), typeof body === 'string' ? Buffer.from(body) : body);
const binary = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const PAGE = '<!doctype html><title>A page</title><p>Text';

/** The first bytes of a file of each format. */
const FILES: readonly (readonly [string, string, Uint8Array])[] = [
  ['pdf', 'application/pdf', binary('%PDF-1.7\n%\xe2\xe3\xcf\xd3')],
  ['image', 'image/jpeg', binary('\xff\xd8\xff\xe0\0\x10JFIF\0')],
  ['image', 'image/png', binary('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['image', 'image/gif', binary('GIF89a\x01\0\x01\0')],
  ['image', 'image/webp', binary('RIFF\x24\0\0\0WEBPVP8 ')],
  ['image', 'image/avif', binary('\0\0\0\x20ftypavif\0\0\0\0')],
  ['image', 'image/x-icon', binary('\0\0\x01\0\x01\0\x10\x10')],
  ['video', 'video/mp4', binary('\0\0\0\x18ftypmp42\0\0\0\0')],
  ['video', 'video/webm', binary('\x1aE\xdf\xa3\x01\0\0\0')],
  ['audio', 'audio/mpeg', binary('ID3\x04\0\0\0\0')],
  ['audio', 'audio/mp4', binary('\0\0\0\x20ftypM4A \0\0\0\0')],
  ['audio', 'audio/wav', binary('RIFF\x24\0\0\0WAVEfmt ')],
  ['archive', 'application/zip', binary(`PK\x03\x04${'\0'.repeat(26)}readme.txt`)],
  ['archive', 'application/gzip', gzipSync(PAGE)],
  ['archive', 'application/vnd.rar', binary('Rar!\x1a\x07\x01\0')],
  ['archive', 'application/x-7z-compressed', binary("7z\xbc\xaf'\x1c\0\x04")],
  ['archive', 'application/x-tar', binary(`${'a'.padEnd(257, '\0')}ustar\x0000`)],
  ['office', 'application/msword', binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0')],
  [
    'office',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    binary(`PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`),
  ],
  [
    'office',
    'application/vnd.oasis.opendocument.text',
    binary(`PK\x03\x04${'\0'.repeat(26)}mimetypeapplication/vnd.oasis.opendocument.text`),
  ],
  ['font', 'font/woff2', binary('wOF2\0\x01\0\0')],
  ['font', 'font/otf', binary('OTTO\0\x0b')],
  ['font', 'font/ttf', binary('\0\x01\0\0\0\x0c')],
  ['image', 'image/tiff', binary('II*\0\x08\0')],
  ['image', 'image/jxl', binary('\0\0\0\x0cJXL \r\n')],
  ['audio', 'audio/flac', binary('fLaC\0\0')],
  ['audio', 'audio/aiff', binary('FORM\0\0\0\x20AIFF')],
  ['video', 'video/x-msvideo', binary('RIFF\x24\0\0\0AVI LIST')],
  ['video', 'video/mpeg', binary('\0\0\x01\xba\x44')],
  ['office', 'application/rtf', binary('{\\rtf1\\ansi')],
  ['archive', 'application/x-xz', binary('\xfd7zXZ\0\0')],
  ['archive', 'application/zstd', binary('\x28\xb5\x2f\xfd\x04')],
  ['script', 'application/wasm', binary('\0asm\x01\0\0\0')],
];
/** Texts that are no pages. */
const TEXTS: readonly (readonly [string, string, string])[] = [
  [
    'feed',
    'application/rss+xml',
    '<?xml version="1.0"?>\n<rss version="2.0"><channel><title>A</title></channel></rss>',
  ],
  ['feed', 'application/atom+xml', '<!-- a --><!-- b --><feed xmlns="http://www.w3.org/2005/Atom"/>'],
  ['calendar', 'text/calendar', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR'],
  ['json', 'application/json', '{"a": [1, "<p>2</p>"]}'],
];

test.each(FILES)(
  'a file of the kind %s is recognized by its type %s, and with any type',
  (kind, type, body) => {
    for (const one of [
      type,
      `${type}; charset=utf-8`,
      'text/html',
      'text/plain',
      'application/octet-stream',
      null,
    ])
      expect(kindOf(one, body), String(one)).toBe(kind);
  },
);

test.each(TEXTS)(
  'a text of the kind %s is recognized by its type %s, and when sent as a page',
  (kind, type, body) => {
    for (const one of [type, 'text/html; charset=utf-8', 'text/plain', 'application/octet-stream', null])
      expect(kindOf(one, body), String(one)).toBe(kind);
    expect(kindOf('text/html', `\ufeff${body}`)).toBe(kind);
  },
);

test.each([
  ['text/javascript', 'alert(1)', 'script'],
  ['application/x-javascript; charset=utf-8', 'alert(1)', 'script'],
  ['text/css', 'a{}', 'style'],
  ['text/plain', 'User-agent: *', 'text'],
  ['text/plain', '[1] A list, and no JSON', 'text'],
  ['text/csv', 'a,b', 'other'],
  ['application/xml', '<urlset/>', 'xml'],
  ['text/xml', '<rss/>', 'feed'],
  ['image/svg+xml', '<svg/>', 'image'],
  ['image/png', PAGE, 'image'],
  ['application/octet-stream', PAGE, null],
  ['application/octet-stream', 'MZ\x90\0\x03', 'other'],
  ['application/x-unknown', 'x', 'other'],
  ['application/ld+json', '{}', 'json'],
  ['application/json', 'no JSON', 'json'],
  ['video/mp2t', 'G@\0', 'video'],
  ['application/vnd.apple.mpegurl', '#EXTM3U', 'video'],
  [null, PAGE, 'html'],
  [null, 'Plain words', 'text'],
  [null, '\0\x01\x02', 'other'],
  ['text/html', '', 'html'],
  ['text/html', '{ mustache }', 'html'],
  ['text/html', 'PKs and other words', 'html'],
  ['text/html', 'BM is no picture', 'html'],
  ['text/html', '<p>BEGIN:VCALENDAR', 'html'],
  ['text/html', '<feedback>', 'html'],
  ['application/xhtml+xml', PAGE, 'html'],
] as const)('content sent as %s that begins with %j is of the kind %s', (type, body, kind) => {
  expect(kindOf(type, body)).toBe(kind);
});

test('pages are HTML, PDF and plain text', () => {
  expect(['html', 'pdf', 'text', null].map(isFile)).toEqual([false, false, false, false]);
  expect(['image', 'archive', 'feed', 'other'].map(isFile)).toEqual([true, true, true, true]);
});

test('no words change the kind of a page, and the beginning is read quickly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (words) => {
      expect(kindOf('text/html', `<title>${words}</title>${words}`)).toBe('html');
    }),
    { numRuns: runs(300) },
  );
  const time = processorTime(() => {
    for (const part of ['<!---->', '<?xml a>', '<!doctype rss>', '\n', '<!--', '['])
      expect(kindOf('text/html', part.repeat(2_000))).toBe('html');
  });
  expect(time).toBeLessThan(1_000);
});
