import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { readZip } from '../../../src/site/search-data/exports/read-zip.ts';
import { type Member, zipFile } from '../../support/zip-file.ts';
import { fuzzFolder } from '../folder.ts';
import { called, Fault, same, type Target, type Verdict } from '../target.ts';

const MIB = 1024 * 1024;
/** Bytes of one member and of all, as the reader promises. */
const [MOST_MEMBER, MOST_TOGETHER] = [64 * MIB, 128 * MIB];
const END_BYTES = 22;

interface Found {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
}

interface PlainMember extends Found {
  /** Where its packed bytes are in the archive. */
  readonly from: number;
  readonly to: number;
  readonly isDeflated: boolean;
}

/** The members of an archive by a reader that believes all it says, from its last end record on. */
function plainMembers(input: Buffer): PlainMember[] {
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  const ends = Array.from({ length: Math.max(0, input.length - END_BYTES + 1) }, (_, at) => at).filter(
    (at) =>
      input.subarray(at, at + 4).toString('latin1') === 'PK\x05\x06' &&
      at + END_BYTES + view.getUint16(at + 20, true) === input.length,
  );
  const end = ends.at(-1) ?? 0;
  const entries: Omit<PlainMember, 'size' | 'crc'>[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ];
    const isUtf8 = (view.getUint16(at + 8, true) & 0x800) !== 0;
    const name = input.subarray(at + 46, at + 46 + nameLength).toString(isUtf8 ? 'utf8' : 'latin1');
    const local = view.getUint32(at + 42, true);
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const length = view.getUint32(at + 20, true);
    const isDeflated = view.getUint16(at + 10, true) === 8;
    entries.push({ name, from, to: from + length, isDeflated });
    at += 46 + nameLength + extra + comment;
  }
  return entries
    .filter(({ name }) => !name.endsWith('/') && !name.startsWith('__MACOSX/'))
    .map((entry) => {
      const packed = input.subarray(entry.from, entry.to);
      const bytes = entry.isDeflated ? inflateRawSync(packed) : packed;
      return { ...entry, size: bytes.length, crc: crc32(bytes) };
    });
}

async function check(path: string, input: Buffer): Promise<Verdict> {
  await writeFile(path, input);
  const found = await called(async () => {
    const members: Found[] = [];
    for (const member of await readZip(path)) {
      const bytes = await member.bytes();
      members.push({ name: member.name, size: bytes.length, crc: crc32(bytes) });
    }
    return members;
  });
  if (found === undefined) return 'refused';
  for (const { name, size } of found.value) {
    if (/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)|^[a-z]:|\0/i.test(name))
      throw new Fault('a name leads out of its folder', name);
    if (size > MOST_MEMBER) throw new Fault('a member is longer than the limit', size);
  }
  if (found.value.reduce((sum, { size }) => sum + size, 0) > MOST_TOGETHER)
    throw new Fault('the members are longer than the limit', found.value);
  const plain = plainMembers(input);
  same(
    found.value,
    plain.map(({ name, size, crc }) => ({ name, size, crc })),
    'the members differ',
  );
  // A small archive whose members have their bytes in common stands for very many.
  const sorted = plain.filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from);
  const twin = sorted.find(({ from }, index) => (sorted[index - 1]?.to ?? 0) > from);
  if (twin !== undefined) throw new Fault('members share their bytes', twin.name);
  return 'taken';
}

const PAGES: Member = { name: 'Pages.csv', content: 'Top pages,Clicks\nhttps://a.example/,3\n' };
const QUERIES: Member = { name: 'Queries.csv', content: 'tea '.repeat(200) };
const STORED: Member = { name: 'd/Dates.csv', content: 'Date,Clicks\n2026-11-01,1\n', isStored: true };

const name = fc.oneof(
  fc.constantFrom('Pages.csv', 'a/b.csv', '../x', '/x', 'a/', '__MACOSX/._a', 'é.csv', 'C:\\x', 'a..b', ''),
  fc.string({ maxLength: 12 }),
);
const number = fc.constantFrom(0, 1, 30, 65_535, 65 * MIB, 2 ** 31, 2 ** 32 - 1);
const member = fc.record(
  {
    name,
    content: fc.oneof(fc.string({ maxLength: 300 }), fc.constant('x'.repeat(5000))),
    isStored: fc.boolean(),
    flags: fc.constantFrom(0, 1, 8, 1 << 11),
    method: fc.constantFrom(0, 8, 9, 12),
    size: number,
    crc: number,
    offset: number,
    extra: fc.constantFrom(1, 31, 35, 100, 65_535),
  },
  { requiredKeys: ['name', 'content'] },
);
const grammar = fc
  .tuple(fc.array(member, { maxLength: 4 }), fc.string({ maxLength: 40 }))
  .map(([members, comment]) => zipFile(members as readonly Member[], comment));

/** Zip archives of search results. */
export const zip: Target = {
  name: 'zip',
  seeds: [
    zipFile([PAGES, QUERIES, STORED]),
    zipFile([PAGES]),
    zipFile([STORED, STORED], 'a comment PK\x05\x06'),
    zipFile([]),
    zipFile([PAGES, { name: '__MACOSX/._Pages.csv', content: 'x' }, { name: 'a/', content: '' }]),
    // Eight megabytes of zeros.
    zipFile([{ name: 'zeros', content: Buffer.alloc(8 * MIB) }]),
  ],
  words: [
    'PK\x01\x02',
    'PK\x03\x04',
    'PK\x05\x06',
    'PK\x06\x06',
    '\xff\xff',
    '\xff\xff\xff\xff',
    '../',
    '__MACOSX/',
  ],
  grammar,
  shortRound: 500,
  async open() {
    const { folder, close } = fuzzFolder();
    return { close, check: (input) => check(join(folder, 'export.zip'), input) };
  },
};
