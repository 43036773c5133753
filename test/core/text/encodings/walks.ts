import { createHash } from 'node:crypto';

/** An encoding of the Encoding Standard, and how its decoder gets from bytes to a pointer of an index. */
export interface Walk {
  readonly encoding: string;
  /** The index, as `indexes.json` of the standard calls it. */
  readonly index: string;
  readonly pointers: number;
  /** The bytes of a pointer; null for one that the decoder does not look up in the index. */
  readonly bytes: (pointer: number) => readonly number[] | null;
}

const SINGLE_BYTE = [
  'IBM866',
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map((part) => `ISO-8859-${part}`),
  'KOI8-R',
  'KOI8-U',
  'macintosh',
  'windows-874',
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => `windows-${page}`),
  'x-mac-cyrillic',
];

/** Lead and trail of a pointer in rows of so many cells. */
const double =
  (cells: number, firstLead: number, trailOf: (cell: number) => number) =>
  (pointer: number): readonly number[] => [firstLead + Math.floor(pointer / cells), trailOf(pointer % cells)];
const EUC = double(94, 0xa1, (cell) => cell + 0xa1);
const ROWS_OF_94 = 94 * 94;

function shiftJis(pointer: number): readonly number[] | null {
  // User-defined characters, by arithmetic.
  if (pointer >= 8836 && pointer <= 10715) return null;
  const [lead, trail] = [Math.floor(pointer / 188), pointer % 188];
  return [lead + (lead < 0x1f ? 0x81 : 0xc1), trail + (trail < 0x3f ? 0x40 : 0x41)];
}

function gb18030Ranges(pointer: number): readonly number[] | null {
  // U+FFFD itself, which tells nothing.
  if (pointer === 39_417) return null;
  return [
    0x81 + Math.floor(pointer / 12_600),
    0x30 + (Math.floor(pointer / 1260) % 10),
    0x81 + (Math.floor(pointer / 10) % 126),
    0x30 + (pointer % 10),
  ];
}

const gb18030 = double(190, 0x81, (cell) => cell + (cell < 0x3f ? 0x40 : 0x41));
// Four pointers are two characters each, by a rule and not by the index.
const PAIRS_OF_BIG5: readonly number[] = [1133, 1135, 1164, 1166];
const big5 = double(157, 0x81, (cell) => cell + (cell < 0x3f ? 0x40 : 0x62));

/** All legacy encodings whose decoders read an index. */
export const WALKS: readonly Walk[] = [
  ...SINGLE_BYTE.map((encoding) => ({
    encoding,
    index: encoding.toLowerCase(),
    pointers: 128,
    bytes: (pointer: number) => [pointer + 0x80],
  })),
  { encoding: 'ISO-8859-8-I', index: 'iso-8859-8', pointers: 128, bytes: (pointer) => [pointer + 0x80] },
  { encoding: 'GBK', index: 'gb18030', pointers: 126 * 190, bytes: gb18030 },
  { encoding: 'gb18030', index: 'gb18030', pointers: 126 * 190, bytes: gb18030 },
  { encoding: 'gb18030', index: 'gb18030-ranges', pointers: 39_420, bytes: gb18030Ranges },
  {
    encoding: 'Big5',
    index: 'big5',
    pointers: 126 * 157,
    bytes: (pointer) => (PAIRS_OF_BIG5.includes(pointer) ? null : big5(pointer)),
  },
  { encoding: 'EUC-JP', index: 'jis0208', pointers: ROWS_OF_94, bytes: EUC },
  { encoding: 'EUC-JP', index: 'jis0212', pointers: ROWS_OF_94, bytes: (pointer) => [0x8f, ...EUC(pointer)] },
  {
    encoding: 'ISO-2022-JP',
    index: 'jis0208',
    pointers: ROWS_OF_94,
    bytes: (pointer) => [0x1b, 0x24, 0x42, ...EUC(pointer).map((byte) => byte - 0x80), 0x1b, 0x28, 0x42],
  },
  { encoding: 'Shift_JIS', index: 'jis0208', pointers: 60 * 188, bytes: shiftJis },
  {
    encoding: 'EUC-KR',
    index: 'euc-kr',
    pointers: 126 * 190,
    bytes: double(190, 0x81, (cell) => cell + 0x41),
  },
];

/** How many pointers have a character, and one number for all of them. */
export function digestOf(
  walk: Walk,
  codePointOf: (pointer: number) => number | null,
): { readonly characters: number; readonly sha256: string } {
  const hash = createHash('sha256');
  let characters = 0;
  for (let pointer = 0; pointer < walk.pointers; pointer++) {
    const codePoint = walk.bytes(pointer) === null ? null : codePointOf(pointer);
    if (codePoint === null) continue;
    characters++;
    hash.update(`${pointer} ${codePoint}\n`);
  }
  return { characters, sha256: hash.digest('hex') };
}
