import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBytes, encodingName, openDecoder, utf16Of } from '../../../src/core/text/encodings.ts';
import { runs } from '../../support/runs.ts';
import digests from './encodings/digests.json' with { type: 'json' };
import labels from './encodings/labels.json' with { type: 'json' };
import { digestOf, WALKS } from './encodings/walks.ts';

test('the digests cover all legacy encodings', () => {
  expect(digests.map(({ encoding, index }) => [encoding, index])).toEqual(
    WALKS.map(({ encoding, index }) => [encoding, index]),
  );
  expect(new Set(WALKS.map(({ encoding }) => encoding)).size).toBe(35);
});

/** The one character of some bytes, or null. */
function codePointOf(bytes: readonly number[] | null, encoding: string): number | null {
  const [character, ...others] = decodeBytes(Uint8Array.from(bytes ?? []), encoding);
  return others.length > 0 || character === '\ufffd' ? null : (character?.codePointAt(0) ?? null);
}

test.each(WALKS.map((walk, at) => [walk.encoding, walk.index, walk, digests[at]] as const))(
  '%s decodes each pointer of the index %s as in the standard',
  (encoding, _, walk, expected) => {
    const { characters, sha256 } = digestOf(walk, (pointer) => codePointOf(walk.bytes(pointer), encoding));
    expect({ characters, sha256 }).toEqual({ characters: expected?.characters, sha256: expected?.sha256 });
  },
);

test('encodings defined by rules instead of an index are decoded', () => {
  const decoded = (encoding: string, ...bytes: number[]): string =>
    decodeBytes(Uint8Array.from(bytes), encoding);
  expect(decoded('Big5', 0x88, 0x62, 0x88, 0x64, 0x88, 0xa3, 0x88, 0xa5)).toBe('Ê̄Ê̌ê̄ê̌');
  expect(decoded('Shift_JIS', 0xa6, 0xdf, 0xf0, 0x40, 0xf9, 0xfc)).toBe('ｦﾟ\ue000\ue757');
  expect(decoded('EUC-JP', 0x8e, 0xb1)).toBe('ｱ');
  expect(decoded('ISO-2022-JP', 0x1b, 0x28, 0x49, 0x31, 0x1b, 0x28, 0x4a, 0x5c, 0x7e)).toBe('ｱ¥‾');
  expect(decoded('gb18030', 0x80, 0x90, 0x30, 0x81, 0x30, 0xe3, 0x32, 0x9a, 0x35)).toBe(
    '€\u{10000}\u{10ffff}',
  );
  expect(decoded('x-user-defined', 0x41, 0x80, 0xff)).toBe('A\uf780\uf7ff');
  // A broken pair does not swallow the ASCII after it.
  expect(decoded('EUC-KR', 0xc9, 0x3c, 0x62, 0x3e)).toBe('\ufffd<b>');
});

test('UTF-8 and UTF-16 are decoded in chunks of any size, with or without a byte order mark', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => !text.startsWith('\ufeff')),
      fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      (text, encoding, isMarked, piece) => {
        const marked = isMarked ? `\ufeff${text}` : text;
        const bytes = Buffer.from(marked, encoding === 'utf-8' ? 'utf8' : 'utf16le');
        if (encoding === 'utf-16be') bytes.swap16();
        const decoder = openDecoder(encoding, true);
        let decoded = '';
        for (let at = 0; at < bytes.length; at += piece)
          decoded += decoder.decode(bytes.subarray(at, at + piece), { stream: true });
        expect(decoded + decoder.decode()).toBe(text);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('UTF-16 is recognized without a byte order mark', () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  expect(utf16Of(utf16('Date,Clicks'))).toBe('utf-16le');
  expect(utf16Of(utf16('Date,Clicks').swap16())).toBe('utf-16be');
  expect(utf16Of(utf16('\ufeff日付'))).toBe('utf-16le');
  expect(utf16Of(utf16('\ufeff日付').swap16())).toBe('utf-16be');
  for (const head of ['ff41', 'fe41', '41ff', '41fe', '', '6100620063646566', '0061006263646566'])
    expect([head, utf16Of(Buffer.from(head, 'hex'))]).toEqual([head, null]);
  expect(utf16Of(Buffer.from('Date,Clicks'))).toBeNull();
  expect(utf16Of(Buffer.from('日付,クリック数'))).toBeNull();
  // A log that was cut while it was written.
  expect(utf16Of(Buffer.from('\0\0\0\0\0\0\0\x0a7.0.0.1'))).toBeNull();
});

test('each of the 228 labels of the standard selects its encoding, in any spelling', () => {
  const pairs = Object.entries(labels).flatMap(([name, of]) => of.split(' ').map((label) => [label, name]));
  expect(pairs).toHaveLength(228);
  const spellings: ((label: string) => string)[] = [
    (label) => label,
    (label) => label.toUpperCase(),
    (label) => `\t ${label}\n\f`,
  ];
  for (const spell of spellings)
    expect(pairs.map(([label = '']) => [label, encodingName(spell(label))?.toLowerCase()])).toEqual(pairs);
  for (const unknown of [
    '',
    'utf8mb4',
    'utf 8',
    'latin-1',
    'iso-8859-12',
    'windows-1259',
    'utf-7',
    '\u00a0utf-8',
  ])
    expect([unknown, encodingName(unknown)]).toEqual([unknown, null]);
});

test('UTF-8 is decoded like the runtime does, whatever was decoded before', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom('\ufeffa', 'ä€😀', '').map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 4 }), (texts) => {
      for (const text of texts) expect(decodeBytes(text, 'UTF-8')).toBe(new TextDecoder().decode(text));
    }),
    { numRuns: runs(200) },
  );
});
