import { createWriteStream } from 'node:fs';
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import { expect, test } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { peakOf } from '../../support/peak-memory.ts';
import { crawlhouseProcess, rawProjectFolder } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { type Member, zipFile } from '../../support/zip-file.ts';

const MIB = 1 << 20;
/** What one of these files would unpack to. */
const UNPACKED = 900 * MIB;
const MOST_MEMORY_MB = 700;
const MOST_DISK = 64 * MIB;
const CSV = 'Top pages,Clicks,Impressions,CTR,Position\nhttps://a.example/,1,2,50%,3\n';
const PAGES: Member = { name: 'Pages.csv', content: CSV };
const LINE = '192.0.2.1 - - [01/Nov/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 12 "-" "Googlebot/2.1"\n';

interface Place {
  readonly project: string;
  /** The folder with the file; the project lies in it. */
  readonly around: string;
  readonly file: string;
}

async function placeOf(name: string): Promise<Place> {
  const around = await temporaryFolder();
  const file = join(around, 'given', name);
  await mkdir(dirname(file));
  return { around, file, project: await rawProjectFolder(around) };
}

/** All files below a folder but those of the project, which a command may change. */
async function filesAround({ around, project }: Place): Promise<string[]> {
  const entries = await readdir(around, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => !one.isDirectory()).map((one) => join(one.parentPath, one.name));
  return paths.filter((path) => !path.startsWith(`${project}/`)).sort();
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).blocks * 512;
  return sum;
}

/** Runs a command on the file; nothing is written beside the project, and little memory and disk is taken. */
async function given(place: Place, ...argv: readonly string[]) {
  const before = await filesAround(place);
  const child = crawlhouseProcess(place.project, argv, { TMPDIR: place.around });
  child.stdout.resume();
  const [{ status, peak }, stderr] = await Promise.all([peakOf(child), streamText(child.stderr)]);
  expect(await filesAround(place)).toEqual(before);
  expect([argv, peak < MOST_MEMORY_MB, peak]).toEqual([argv, true, peak]);
  expect(await bytesIn(place.project)).toBeLessThan(MOST_DISK);
  expect(stderr).not.toMatch(/^\s+at /m);
  return { status, stderr };
}

const SITE = ['--site', 'https://a.example/'];
const DAYS = ['--from', '2026-10-01', '--to', '2026-11-01'];

const ARCHIVES: readonly (readonly [string, readonly Member[], string])[] = [
  [
    'a name that leads out',
    [PAGES, { ...PAGES, name: '../../out.csv' }],
    'it names the path "../../out.csv"',
  ],
  ['an absolute name', [PAGES, { ...PAGES, name: '/tmp/out.csv' }], 'it names the path "/tmp/out.csv"'],
  // A link in a zip is a member whose content is its target.
  ['a link that leads out', [{ name: 'Pages.csv', content: '/etc/passwd' }], 'no member is a table'],
  ['an archive within', [{ name: 'more.zip', content: zipFile([PAGES]) }], 'is not text in UTF-8'],
  [
    'more than it says',
    [{ ...PAGES, content: 'a'.repeat(60 * MIB), size: 100 }],
    'longer than in the directory',
  ],
  ['as much as it says', [{ ...PAGES, content: 'a'.repeat(65 * MIB) }], 'is larger than 64 MiB'],
  ['members that share their bytes', [PAGES, { ...PAGES, name: 'b.csv', offset: 0 }], 'share their bytes'],
];

test.for(ARCHIVES)('demand add refuses an archive with %s', async ([_what, members, words]) => {
  const place = await placeOf('export.zip');
  await writeFile(place.file, zipFile(members));
  expect(await given(place, 'demand', 'add', place.file, ...SITE, ...DAYS)).toEqual({
    status: 2,
    stderr: expect.stringContaining(words),
  });
});

const ROW = `DATE '2026-09-01' AS data_date, 'q' AS query, false AS is_anonymized_query, 'fra' AS country,
  'WEB' AS search_type, 'MOBILE' AS device, 3 AS impressions, 1 AS clicks, 2 AS sum_position`;

test.for([
  ['very many equal rows', `'https://a.example/' AS url FROM range(20000000)`, 'it has 20,000,000 rows in '],
  [
    'very long equal texts',
    `repeat('https://a.example/', 5000000) AS url FROM range(30)`,
    'a value is longer than',
  ],
] as const)('demand add refuses a small Parquet file of %s', async ([_what, rows, words]) => {
  const place = await placeOf('bulk.parquet');
  const connection = await temporaryConnection(await temporaryFolder());
  await connection.run("SET memory_limit = '4GB'");
  await connection.run(
    `COPY (SELECT ${ROW}, ${rows}) TO ${text(place.file)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  expect((await stat(place.file)).size).toBeLessThan(3 * MIB);
  expect(await given(place, 'demand', 'add', place.file, ...SITE)).toEqual({
    status: 2,
    stderr: expect.stringContaining(words),
  });
});

/** Lines of a log, and then one character to the end. */
async function bomb(file: string, character: string): Promise<void> {
  const piece = Buffer.alloc(MIB, character);
  async function* content(): AsyncGenerator<Buffer> {
    yield Buffer.from(LINE.repeat(20));
    for (let bytes = 0; bytes < UNPACKED; bytes += MIB) yield piece;
    yield Buffer.from(`\n${LINE}`);
  }
  const compress = file.endsWith('.zst') ? createZstdCompress() : createGzip({ level: 9 });
  await pipeline(content, compress, createWriteStream(file));
  expect((await stat(file)).size).toBeLessThan(2 * MIB);
}

test.for(['access.log.gz', 'access.log.zst'])(
  'logs add refuses a small %s with one endless line',
  async (name) => {
    const place = await placeOf(name);
    await bomb(place.file, 'a');
    expect(await given(place, 'logs', 'add', place.file, ...SITE)).toEqual({
      status: 4,
      stderr: expect.stringMatching(/1 line of 22 cannot be read.*: too long in line 21/),
    });
  },
);

test('logs add reads a folder without its links, and never uses archive member names as paths', async () => {
  const place = await placeOf('access.log');
  await writeFile(place.file, LINE);
  await writeFile(join(place.around, 'secret.log'), LINE.replaceAll('/a', '/secret'));
  await symlink(join(place.around, 'secret.log'), join(dirname(place.file), 'link.log'));
  expect(await given(place, 'logs', 'add', dirname(place.file), ...SITE)).toMatchObject({ status: 0 });
  const child = crawlhouseProcess(
    place.project,
    ['query', 'SELECT DISTINCT url FROM raw.log_events', '--format', 'csv'],
    {},
  );
  child.stderr.resume();
  expect(await streamText(child.stdout)).toBe('url\nhttps://a.example/a\n');
  await writeFile(join(place.around, 'logs.zip'), zipFile([{ name: '../../out.log', content: LINE }]));
  expect(await given(place, 'logs', 'add', join(place.around, 'logs.zip'), ...SITE)).toEqual({
    status: 2,
    stderr: expect.stringContaining('is compressed with zip, which crawlhouse cannot read'),
  });
  expect(
    await given(place, 'sandbox', 'start', '--port', '0', '--import', join(place.around, 'logs.zip')),
  ).toEqual({ status: 2, stderr: expect.stringContaining('is not a folder') });
});
