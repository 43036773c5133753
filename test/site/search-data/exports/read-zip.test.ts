import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readZip } from '../../../../src/site/search-data/exports/read-zip.ts';
import { runs } from '../../../support/runs.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { type Member, zipFile } from '../../../support/zip-file.ts';

async function archive(bytes: Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), 'export.zip');
  await writeFile(path, bytes);
  return path;
}

test('members are read with names and bytes, compressed or not, before any comment', async () => {
  const name = fc
    .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
    .filter((one) => !/[/\\:\0]/.test(one) && one !== '..');
  const members = fc.uniqueArray(
    fc.record({ name, content: fc.uint8Array({ maxLength: 3000 }), isStored: fc.boolean() }),
    { maxLength: 6, selector: (one) => one.name },
  );
  await fc.assert(
    fc.asyncProperty(members, fc.string({ maxLength: 300 }), async (given, comment) => {
      const path = await archive(zipFile(given, comment));
      const found = await readZip(path);
      expect(found.map((one) => one.name)).toEqual(given.map((one) => one.name));
      for (const [index, member] of found.entries())
        expect(Buffer.compare(await member.bytes(), Buffer.from(given[index]?.content ?? []))).toBe(0);
    }),
    { numRuns: runs(60) },
  );
});

test('an archive with any byte changed or missing is read unchanged or refused', async () => {
  const whole = zipFile([
    { name: 'a.csv', content: 'Date,Clicks\n2026-11-01,1\n' },
    { name: 'b.csv', content: 'x' },
  ]);
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), end: fc.nat(whole.length) });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, byte, end }) => {
      const bytes = Buffer.from(whole.subarray(0, Math.max(end, 1)));
      if (at < bytes.length) bytes[at] = byte;
      const path = await archive(bytes);
      try {
        for (const member of await readZip(path)) await member.bytes();
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(path) });
      }
    }),
    { numRuns: runs(300) },
  );
});

const MEMBER: Member = { name: 'Pages.csv', content: 'a,b\n' };
const PATHS = ['../Pages.csv', '/etc/passwd', 'a/../../b', 'C:\\x.csv', '..\\x', 'a\0b'];

const REFUSED: readonly (readonly [readonly Member[], string])[] = [
  ...PATHS.map((name) => [[{ ...MEMBER, name }], 'it names the path'] as const),
  [[{ ...MEMBER, flags: 1 }], 'Pages.csv is encrypted'],
  [[{ ...MEMBER, method: 12 }], 'compressed with the method 12'],
  [[{ ...MEMBER, size: 65 * 1024 * 1024 }], 'is larger than 64 MiB'],
  [
    [1, 2, 3].map((one) => ({ ...MEMBER, name: `${one}`, size: 60 * 1024 * 1024 })),
    'larger than 128 MiB together',
  ],
  [[{ ...MEMBER, size: 2 }], 'longer than in the directory'],
  [[{ ...MEMBER, size: 6 }], 'is damaged'],
  [[{ ...MEMBER, crc: 1 }], 'is damaged'],
  // Members that share their bytes are how a small archive becomes a very large one.
  [[MEMBER, { ...MEMBER, name: 'b', offset: 0 }], 'share their bytes'],
  [[{ ...MEMBER, offset: 1_000_000 }], 'ends beyond the file'],
  [Array.from({ length: 101 }, (_, index) => ({ ...MEMBER, name: `${index}` })), 'it has 101 members'],
];

test.each(REFUSED)('an archive unlike any export is refused: %#', async (members, words) => {
  const path = await archive(zipFile(members));
  const read = async (): Promise<void> => {
    for (const member of await readZip(path)) await member.bytes();
  };
  await expect(read()).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(words) });
});

test('a member whose header points to the bytes of another is refused', async () => {
  // Header and name of the next one are 31 bytes, and the filler is as long as the content.
  const twin = { content: 'a,b\n', isStored: true };
  const members = [
    { name: 'a', ...twin, extra: 4 + 31 },
    { name: 'b', ...twin },
  ];
  const [a, b] = await readZip(await archive(zipFile(members)));
  await expect(a?.bytes()).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('a shares the bytes of another'),
  });
  expect((await b?.bytes())?.toString()).toBe('a,b\n');
});

test('folders and macOS metadata are not files of an export', async () => {
  const members = [MEMBER, { name: 'a/', content: '' }, { name: '__MACOSX/._Pages.csv', content: 'x' }];
  expect((await readZip(await archive(zipFile(members)))).map(({ name }) => name)).toEqual(['Pages.csv']);
});
