/** Longest input that a mutation gives; now and then a repetition is longer. */
const MOST_BYTES = 64 * 1024;
const MOST_REPEATED = 1024 * 1024;

/** A number below `bound`, whole. */
export type Below = (bound: number) => number;

/** Texts that readers stumble on, whatever they read. */
const WORDS: readonly string[] = [
  '0',
  '-0',
  '-1',
  '1e309',
  '1e-400',
  '0.1',
  '00',
  '01',
  '+1',
  '.5',
  '5.',
  '0x10',
  'NaN',
  'Infinity',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '2147483648',
  '4294967296',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '3.7000000000000001',
  '1e21',
  '123456789012345678901234567890',
  '1_000',
  '1,000',
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  '\r\n',
  '\0',
  '\u000b',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\u00a0',
  '"',
  "'",
  '""',
  '\\',
  '\\"',
  '`',
  '$',
  '%',
  '%00',
  '%ZZ',
  '%u0041',
  '&',
  '<',
  '>',
  '/',
  '//',
  '..',

  '../',
  '..\\',
  '/etc/passwd',
  'file:///etc/passwd',
  'null',
  'true',
  'false',
  'undefined',
  '~',
  '*',
  '?',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',

  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '{}',
  '[]',
  ':',
  ';',
  ',',
  '|',
  '#',
  '--',
  '/*',
  '*/',
  '$\u007bx}',
  '{{x}}',
  'é',
  'ü',
  '日本',
  '🕷',
  '👩‍👩‍👧',
  'e\u0301',
  '\u202e',
  '\u200b',
  'İ',
  'ß',
  'ſ',
  'K',
  '\ud83d',
  '1970-01-01',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '2026-11-24T00:00:00+25:00',
  '$(id)',
  '; DROP TABLE t',
  '<script>',
  '](javascript:a)',
  '=1+1',
  '@a',
  '-a',
];

/** Bytes that are no UTF-8. */
const BAD_UTF8: readonly Buffer[] = [
  Buffer.from([0xff]),
  Buffer.from([0xc3]),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xf0, 0x9f, 0x95]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf5, 0x80, 0x80, 0x80]),
];

type Mutation = (input: Buffer, from: Source) => Buffer;

interface Source {
  readonly below: Below;
  readonly words: readonly string[];
  /** Another input to take parts of. */
  readonly other: Buffer;
}

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  changeByte,
  insertWord,
  insertWord,
  replaceByWord,
  replaceNumber,
  replaceNumber,
  deletePart,
  deletePart,
  duplicatePart,
  spliceOther,
  spliceOther,
  swapParts,
  truncate,
  insertBadUtf8,
  repeatPart,
  changeCase,
];

/** A changed copy of an input, by one to eight changes. */
export function mutate(input: Buffer, from: Source): Buffer {
  let found = input;
  for (let left = 1 + from.below(from.below(4) === 0 ? 8 : 3); left > 0; left--)
    found = pick(MUTATIONS, from.below)(found, from);
  return found.length > MOST_REPEATED ? found.subarray(0, MOST_REPEATED) : found;
}

function pick<T>(of: readonly T[], below: Below): T {
  return of[below(of.length)] as T;
}

function spliced(input: Buffer, at: number, cut: number, added: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, at), added, input.subarray(at + cut)]);
}

function flipBit(input: Buffer, { below }: Source): Buffer {
  if (input.length === 0) return input;
  const copy = Buffer.from(input);
  const at = below(copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << below(8));
  return copy;
}

function changeByte(input: Buffer, { below }: Source): Buffer {
  if (input.length === 0) return Buffer.from([below(256)]);
  const copy = Buffer.from(input);
  copy[below(copy.length)] = below(256);
  return copy;
}

function insertWord(input: Buffer, { below, words }: Source): Buffer {
  return spliced(input, below(input.length + 1), 0, Buffer.from(wordOf(words, below)));
}

function wordOf(words: readonly string[], below: Below): string {
  return words.length > 0 && below(3) > 0 ? pick(words, below) : pick(WORDS, below);
}

/** Puts a word in the place of one that is there. */
function replaceByWord(input: Buffer, { below, words }: Source): Buffer {
  const found = tokensOf(input, /[A-Za-z_]+/g);
  if (found.length === 0) return insertWord(input, { below, words, other: input });
  const { at, length } = pick(found, below);
  return spliced(input, at, length, Buffer.from(wordOf(words, below)));
}

function replaceNumber(input: Buffer, { below, words }: Source): Buffer {
  const found = tokensOf(input, /-?\d+(?:\.\d+)?/g);
  if (found.length === 0) return insertWord(input, { below, words, other: input });
  const { at, length } = pick(found, below);
  const number = below(3) === 0 ? String(below(100_000)) : pick(WORDS, below);
  return spliced(input, at, length, Buffer.from(number));
}

/** Where the tokens of an input are; only its first bytes are looked at. */
function tokensOf(input: Buffer, pattern: RegExp): { readonly at: number; readonly length: number }[] {
  const text = input.subarray(0, 8192).toString('latin1');
  return [...text.matchAll(pattern)].map((match) => ({ at: match.index, length: match[0].length }));
}

function partOf(input: Buffer, below: Below): Buffer {
  const at = below(input.length + 1);
  return input.subarray(at, at + below(Math.min(input.length - at, below(8) === 0 ? 4096 : 40) + 1));
}

function deletePart(input: Buffer, { below }: Source): Buffer {
  return spliced(
    input,
    below(input.length + 1),
    1 + below(below(4) === 0 ? input.length + 1 : 8),
    Buffer.of(),
  );
}

function duplicatePart(input: Buffer, { below }: Source): Buffer {
  return spliced(input, below(input.length + 1), 0, partOf(input, below));
}

function spliceOther(input: Buffer, { below, other }: Source): Buffer {
  return spliced(input, below(input.length + 1), below(40), partOf(other, below));
}

function swapParts(input: Buffer, { below }: Source): Buffer {
  const [a = 0, b = 0, c = 0] = [0, 0, 0].map(() => below(input.length + 1)).sort((x, y) => x - y);
  return Buffer.concat([input.subarray(0, a), input.subarray(b, c), input.subarray(a, b), input.subarray(c)]);
}

function truncate(input: Buffer, { below }: Source): Buffer {
  return input.subarray(0, below(input.length + 1));
}

function insertBadUtf8(input: Buffer, { below }: Source): Buffer {
  return spliced(input, below(input.length + 1), below(3), pick(BAD_UTF8, below));
}

/** A part very often: deep nesting, long names, many rows. */
function repeatPart(input: Buffer, { below }: Source): Buffer {
  const part = partOf(input, below);
  if (part.length === 0) return input;
  const most = below(1000) === 0 ? MOST_REPEATED : below(40) === 0 ? MOST_BYTES : 256;
  const times = 1 + below(Math.max(1, Math.floor(most / part.length)));
  const repeated = Buffer.alloc(part.length * times, part);
  return spliced(input, below(input.length + 1), 0, repeated);
}

function changeCase(input: Buffer, { below }: Source): Buffer {
  const found = tokensOf(input, /[A-Za-z]+/g);
  if (found.length === 0) return input;
  const { at, length } = pick(found, below);
  const text = input.toString('latin1', at, at + length);
  const changed = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
  return spliced(input, at, length, Buffer.from(changed, 'latin1'));
}
