import { createHash } from 'node:crypto';
import { appendFile, copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GRANULARITIES } from '../../../src/client/resources/fields.ts';
import { deriveLogPages } from '../../../src/service/logs/derive-log-pages.ts';
import { logMetadata } from '../../../src/service/logs/log-metadata.ts';
import { changedDays } from '../../../src/service/rows/changed-days.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { testSeed } from '../../support/random.ts';
import { GOOGLEBOT, line, long, openLogs } from './open-logs.ts';

test('a file that grows, rotates and is compressed is read once', async () => {
  const { path, add, events } = await openLogs();
  const first = line({ url: '/1' }) + line({ url: '/2' });
  await writeFile(path('access.log'), first);
  expect((await add(['access.log'])).files).toMatchObject([{ status: 'added', events: 2 }]);
  expect((await add(['access.log'])).files).toMatchObject([{ status: 'known', lines: 0 }]);

  // A line that is being written waits for its end.
  await appendFile(path('access.log'), line({ url: '/3' }) + line({ url: '/4' }).slice(0, 60));
  expect((await add(['access.log'])).files).toMatchObject([
    { status: 'added', events: 1, unfinished_bytes: 60 },
  ]);
  await appendFile(path('access.log'), line({ url: '/4' }).slice(60));
  await rename(path('access.log'), path('access.log.1'));
  await writeFile(path('access.log'), line({ url: '/5' }));
  const { files } = await add(['access.log*']);
  expect(files).toMatchObject([
    { name: path('access.log'), status: 'added', events: 1, earlier_name: null },
    { name: path('access.log.1'), status: 'added', events: 1, earlier_name: path('access.log') },
  ]);
  await writeFile(path('access.log.2.gz'), gzipSync(await readFile(path('access.log.1'))));
  await writeFile(path('access.log.3.zst'), zstdCompressSync(await readFile(path('access.log.1'))));
  await copyFile(path('access.log.1'), path('copy.log'));
  const again = await add(['.']);
  expect(again.files.map(({ status }) => status)).toEqual(Array(5).fill('known'));
  expect((await events('urlpath')).flat()).toEqual(['/1', '/2', '/3', '/5', '/4']);
});

test('a truncated file starts again, and a shorter copy of a known one adds nothing', async () => {
  const { path, add, events } = await openLogs();
  const lines = [1, 2, 3].map((n) => line({ url: `/${n}` }));
  await writeFile(path('a.log'), lines.join(''));
  await add(['a.log']);
  await writeFile(path('short.log'), `${lines[0]}${lines[1]}`);
  expect((await add(['short.log'])).files).toMatchObject([{ status: 'known', lines: 0 }]);
  await writeFile(path('a.log'), line({ url: '/4' }));
  expect((await add(['a.log'])).files).toMatchObject([{ status: 'added', events: 1 }]);
  expect((await events('urlpath')).flat()).toEqual(['/1', '/2', '/3', '/4']);
});

test('an empty file is reported as empty, and a file of NUL bytes as without lines', async () => {
  const { path, add, events } = await openLogs();
  await writeFile(path('empty.log'), '');
  await writeFile(path('empty.log.1.gz'), gzipSync(''));
  await long(path('nul.log'), Buffer.alloc(10_000));
  await writeFile(path('nul.log.1.gz'), gzipSync(Buffer.alloc(1_000_000)));
  await writeFile(path('resumed.log'), Buffer.concat([Buffer.alloc(10_000), Buffer.from(line())]));
  const { files } = await add(['.']);
  const failed = (name: string) => ({
    status: 'failed',
    error: {
      code: 'contract_broken',
      message: `${path(name)}: it has no lines: all of its bytes are NUL`,
      hint: expect.stringContaining('copy the log again'),
    },
  });
  expect(files).toMatchObject([
    { status: 'empty', lines: 0 },
    { status: 'empty', lines: 0 },
    failed('nul.log'),
    failed('nul.log.1.gz'),
    { status: 'added', lines: 1 },
  ]);
  expect(await events('urlpath')).toEqual([['/']]);
});

test('ten broken lines, or one percent, are skipped and reported; more refuse the file', async () => {
  const { path, add, events } = await openLogs();
  const lines = (good: number, bad: number): string =>
    Array.from({ length: good }, (_, n) =>
      line({ url: `/${n}`, address: `203.0.${good % 250}.${bad}` }),
    ).join('') + '\u0016\u0003\u0001 scan\n'.repeat(bad);
  for (const [good, bad, status] of [
    [99, 1, 'added'],
    [60, 1, 'added'],
    [3, 10, 'added'],
    [1098, 11, 'added'],
    [1080, 12, 'refused'],
    [0, 4, 'failed'],
  ] as const) {
    const name = `${good}-${bad}.log`;
    await long(path(name), lines(good, bad));
    expect([name, (await add([name])).files[0]?.status]).toEqual([name, status]);
  }
  expect((await add(['1080-12.log'], { unreadable_percent: 2 })).files).toMatchObject([{ status: 'added' }]);
  await long(path('three.log'), lines(99, 13));
  expect((await add(['three.log'], {}, 'fail')).files).toMatchObject([{ status: 'refused' }]);
  expect((await events('url')).length).toBeGreaterThanOrEqual(99);
});

test('a file read again, on request or with other settings, replaces its earlier lines', async () => {
  const { path, add, events, pages } = await openLogs();
  const other = '1.2.3.4 - - [23/Nov/2026:10:00:00] "GET /zone HTTP/1.1" 200 9 "-" "x"\n';
  await long(path('a.log'), line({ url: '/?a=1' }).repeat(2) + other);
  await add(['a.log']);
  expect((await add(['a.log'])).files).toMatchObject([{ status: 'known', lines: 0 }]);
  expect((await add(['a.log'], { query_strings: 'drop' })).files).toMatchObject([
    { status: 'added', events: 3 },
  ]);
  const times = async () =>
    (await events('url', 'event_date')).map((one) => one.join(' ').replace(/.*example/, ''));
  expect(await times()).toEqual([
    '/ 2026/11/23 10:00:00 UTC',
    '/ 2026/11/23 10:00:00 UTC',
    '/zone 2026/11/23 10:00:00 UTC',
  ]);
  await copyFile(path('a.log'), path('copy.log'));
  expect((await add(['copy.log'], { query_strings: 'drop', time_zone: 'Asia/Tokyo' })).files).toMatchObject([
    { status: 'added', events: 3 },
  ]);
  expect((await times())[2]).toBe('/zone 2026/11/23 01:00:00 UTC');
  expect(
    (await add(['copy.log'], { query_strings: 'drop', time_zone: 'Asia/Tokyo', again: true })).files,
  ).toMatchObject([{ status: 'added', events: 3 }]);
  expect([(await times()).length, (await pages('days')).length]).toEqual([3, 2]);
});

test('another file with the same beginning as a known one is read, whatever their lengths', async () => {
  const { path, add, events } = await openLogs();
  const same = Array.from({ length: 80 }, (_, n) => line({ url: `/same/${n}` })).join('');
  expect(same.length).toBeGreaterThan(4096);
  await long(path('a.log'), same + Array.from({ length: 50 }, (_, n) => line({ url: `/a/${n}` })).join(''));
  await long(path('b.log'), same + line({ url: '/b' }));
  await add(['a.log']);
  expect((await add(['b.log'])).files).toMatchObject([{ status: 'added', events: 1, known_lines: 80 }]);
  expect((await events('urlpath')).flat().filter((one) => one === '/b')).toHaveLength(1);
});

test('a line that two servers have by chance counts for each', async () => {
  const { path, add, events } = await openLogs();
  const check = line({ url: '/health' });
  const server = (name: string): string => [1, 2, 3].map((n) => line({ url: `/${name}/${n}` })).join(check);
  await long(path('a.log'), server('a'));
  await long(path('b.log'), server('b'));
  await add(['a.log', 'b.log']);
  expect(await events('url')).toHaveLength(10);
});

test('a known file merged with another is recognized line by line, and coincidental lines still count', async () => {
  const { path, add, events } = await openLogs();
  const server = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) =>
      line({ url: `/${name}/${n}`, at: `23/Nov/2026:10:00:${String(n).padStart(2, '0')} +0000` }),
    );
  const [a, b] = [server('a', 40), server('b', 40)];
  await long(path('a.log'), a.join(''));
  await long(path('merged.log'), a.flatMap((one, n) => [one, b[n] ?? '']).join(''));
  await add(['a.log']);
  expect((await add(['merged.log'])).files).toMatchObject([{ status: 'added', events: 40, known_lines: 40 }]);
  const checks = Array.from({ length: 30 }, (_, n) =>
    line({ url: '/health', at: `24/Nov/2026:10:00:${String(n).padStart(2, '0')} +0000` }),
  );
  await long(path('standby.log'), checks.join(''));
  await long(
    path('busy.log'),
    checks.flatMap((one, n) => [(b[n] ?? '').replace('23/', '24/'), one]).join(''),
  );
  await add(['standby.log', 'busy.log']);
  expect(await events('url')).toHaveLength(80 + 30 + 60);
});

const stamped = (n: number, url = `/${n}`): string =>
  line({
    url,
    at: `23/Nov/2026:${String(10 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00 +0000`,
  });
const span = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => stamped(from + n)).join('');
test.for([
  ['a log twice', span(0, 50).repeat(2), 50],
  ['a log three times', span(0, 20).repeat(3), 20],
  ['a short log twice', span(0, 3).repeat(2), 3],
  ['a log twice behind another one', span(0, 30) + span(30, 90).repeat(2), 90],
  ['a log on both sides of another one', span(0, 30) + span(30, 60) + span(0, 30), 60],
  ['a copy that has grown', span(0, 30) + span(0, 70), 70],
  ['a rotated log behind the one after it', span(50, 90) + span(0, 90), 90],
  ['lines that come twice, twice', (stamped(1) + span(1, 30) + stamped(29)).repeat(2), 31],
  ['lines that come twice', span(0, 30).replaceAll(/.+\n/g, (one) => one.repeat(2)), 60],
  ['a line that came late', span(0, 30) + stamped(3) + span(30, 60), 61],
  [
    'logs of two servers with checks',
    span(0, 9) + stamped(9, '/ok') + span(0, 9).replaceAll('GET /', 'GET /b') + stamped(9, '/ok'),
    20,
  ],
] as const)('a file that has %s has each line once', async ([, text, count]) => {
  const { path, add, events } = await openLogs();
  await long(path('a.log.gz'), gzipSync(text));
  expect((await add(['a.log.gz'])).files).toMatchObject([{ status: 'added', events: count }]);
  await long(path('b.log'), text + stamped(200));
  await add(['b.log']);
  expect(await events('url')).toHaveLength(count + 1);
});

test('a log appended to itself, or twice to another log, is recognized', async () => {
  const { path, add, events } = await openLogs();
  await long(path('a.log'), span(0, 50));
  await add(['a.log']);
  await appendFile(path('a.log'), span(0, 50));
  expect((await add(['a.log'])).files).toMatchObject([{ status: 'known', known_lines: 0 }]);
  await long(path('b.log'), span(50, 60) + span(0, 50).repeat(2));
  expect((await add(['b.log'])).files).toMatchObject([{ status: 'added', events: 10, known_lines: 100 }]);
  expect(await events('url')).toHaveLength(60);
});

/** What happens to the files of a server. */
type Step =
  | { readonly do: 'write'; readonly count: number; readonly twice: boolean }
  | { readonly do: 'rotate' | 'truncate' | 'gzip' | 'join' | 'copy' | 'add' }
  | { readonly do: 'cut'; readonly from: number; readonly to: number };

test('each written line counts once, whatever happens to its files', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        count: fc.integer({ min: 1, max: 9 }),
        twice: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'rotate' as const,
          'truncate' as const,
          'gzip' as const,
          'join' as const,
          'copy' as const,
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('cut' as const),
        from: fc.integer({ min: 0, max: 20 }),
        to: fc.integer({ min: 2, max: 30 }),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      const { path, add, events } = await openLogs();
      const written: string[] = [];
      let live = '';
      let number = 0;
      /** The lines of files that are no longer written to. */
      const old: string[] = [];
      const file = async (text: string, packed = false): Promise<void> => {
        const name = packed ? `${number++}.log.gz` : `${number++}.log`;
        await long(path(name), packed ? gzipSync(text) : text);
      };
      await writeFile(path('access.log'), '');
      for (const one of [...steps, { do: 'add' } as const]) {
        if (one.do === 'write') {
          const lines = Array.from({ length: one.count }, () => `/${written.length}-${number++}`);
          for (const url of one.twice ? lines.flatMap((url) => [url, url]) : lines) {
            written.push(url);
            live += line({ url });
          }
          await writeFile(path('access.log'), live);
        } else if (one.do === 'rotate' || one.do === 'truncate' || one.do === 'gzip') {
          if (live !== '') await file(live, one.do === 'gzip');
          if (live !== '') old.push(live);
          live = '';
          await writeFile(path('access.log'), '');
        } else if (one.do === 'join') await file(old.join('') + live);
        else if (one.do === 'copy') await file(old.at(-1) ?? live);
        else if (one.do === 'cut') {
          const text = (old.at(-1) ?? live).split('\n').slice(one.from, one.to).join('\n');
          await file(text === '' ? '' : `${text}\n`);
        } else {
          const { files } = await add(['*.log*']);
          expect(
            files.filter(
              ({ status, error }) => status === 'failed' && !/no lines/.test(error?.message ?? ''),
            ),
          ).toEqual([]);
        }
      }
      const found = (await events('urlpath').catch(() => [])).flat().toSorted();
      expect(found).toEqual(written.toSorted());
    }),
    { seed: testSeed(), numRuns: 12, endOnFailure: true },
  );
});

test('a truncated file, and an interrupted add, leave nothing behind', async () => {
  const { path, add, events, resources, project } = await openLogs();
  const text = Array.from({ length: 20_000 }, (_, n) => line({ url: `/${n}` })).join('');
  const packed = gzipSync(text);
  await writeFile(path('cut.gz'), packed.subarray(0, packed.length - 20));
  await writeFile(path('more.gz'), Buffer.concat([packed, Buffer.from('more')]));
  const { files } = await add(['cut.gz', 'more.gz']);
  expect(files).toMatchObject([
    { status: 'failed', events: 0, error: { message: expect.stringContaining('cut or damaged') } },
    { status: 'failed', error: { message: expect.stringContaining('cut or damaged') } },
  ]);
  const stop = new AbortController();
  await long(path('whole.log'), text);
  const stopped = add(['whole.log', 'cut.gz'], {}, undefined, AbortSignal.any([stop.signal]));
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  expect(resources.dataset(project.id, 'events')).toBeUndefined();
  await writeFile(
    path('two.gz'),
    Buffer.concat([gzipSync(line({ url: '/a' })), gzipSync(line({ url: '/b' }))]),
  );
  expect((await add(['whole.log', 'two.gz'])).files).toMatchObject([{ events: 20_000 }, { events: 2 }]);
  expect(await events('url')).toHaveLength(20_002);
});

test('bots are verified by address, and a refuted bot does not count for its search engine', async () => {
  const { path, add, events, pages, resources, rows, project } = await openLogs();
  await long(
    path('a.log'),
    [
      line({ agent: GOOGLEBOT, address: '66.249.66.1' }),
      line({ agent: GOOGLEBOT, address: '203.0.113.5' }),
      line({ agent: GOOGLEBOT, address: '-' }),
      line({ agent: 'curl/8.1' }),
      line({ agent: '-' }),
      line({ referer: 'https://www.google.co.uk/' }),
      line({ agent: GOOGLEBOT, address: '66.249.66.1', referer: 'https://www.google.com/' }),
    ].join(''),
  );
  expect((await add(['a.log'])).bots).toEqual([{ bot: 'Googlebot', verified: 2, refuted: 1, unchecked: 1 }]);
  expect(
    await events('bot', 'bot_kind', 'search_engine', 'bot_verification', 'is_bot', 'is_seo_visit'),
  ).toEqual([
    ['Googlebot', 'seo', 'google', 'verified', true, false],
    ['Googlebot', null, null, 'refuted', true, false],
    ['Googlebot', 'seo', 'google', 'unchecked', true, false],
    ['curl', null, null, null, true, false],
    ['(no user agent)', null, null, null, true, false],
    [null, null, null, null, false, true],
    ['Googlebot', 'seo', 'google', 'verified', true, false],
  ]);
  expect(
    (await logMetadata(resources, rows, resources.get('projects', project.id) ?? project)).dates,
  ).toContainEqual({ granularity: 'days', from: '2026-11-23', to: '2026-11-23' });
  const [day] = await pages('days');
  // url, urlpath, day, hits, bot_hits, seo_bot_hits, sea, vertical, visits, seo_visits
  expect(Object.values(day ?? {}).slice(0, 10)).toEqual([
    'https://www.shop.example/',
    '/',
    '2026-11-23',
    '7',
    '6',
    '3',
    '0',
    '0',
    '1',
    '1',
  ]);
});

test('a URL is normalized like a browser does, whatever bytes a line contains', async () => {
  const { path, add, events } = await openLogs();
  const raw = (bytes: string): Buffer => Buffer.from(bytes, 'latin1');
  await long(
    path('a.log'),
    Buffer.concat([
      raw(line({ url: '/caf\xe9' })),
      Buffer.from(line({ url: '/café?q=ü' })),
      raw(line({ url: '/x\\xe9\\"y' })),
      raw(line({ url: '/a b"c'.replace('"', '\\"') })),
      raw(line({ url: '/tab\there\0' })),
      raw(line({ url: 'https://www.shop.example:443/absolute' })),
      raw(line({ url: `/${'x'.repeat(64_000)}` })),
      raw(line({ url: '*' })),
      raw(line({ agent: 'Caf\xe9 \x01' })),
      raw(line().replace('GET / HTTP/1.1', '-')),
      raw(line().replace('GET / HTTP/1.1', 'GET /old')),
      raw(line().replace('\n', '\r\n')),
    ]),
  );
  expect((await add(['a.log'])).files).toMatchObject([{ status: 'added', rejected: 0, events: 12 }]);
  const site = 'https://www.shop.example';
  expect((await events('url')).flat()).toEqual([
    `${site}/caf%E9`,
    `${site}/caf%C3%A9?q=%C3%BC`,
    `${site}/x%E9%22y`,
    `${site}/a%20b%22c`,
    `${site}/tab%09here%00`,
    `${site}/absolute`,
    `${site}/${'x'.repeat(64_000)}`,
    null,
    `${site}/`,
    null,
    `${site}/old`,
    `${site}/`,
  ]);
  expect((await events('user_agent'))[8]).toEqual(['Caf\uFFFD  ']);
  await long(path('long.log'), `${line({ url: '/1' })}${'x'.repeat(3_000_000)}\n${line({ url: '/2' })}`);
  expect((await add(['long.log'], {}, 'quarantine')).files).toMatchObject([
    { events: 2, rejected: 1, places: { too_long: [2] }, lines: 3 },
  ]);
});

/** Makes the tables of logs what the version before had: hashes without a key of first lines and last bytes, and no marks. */
async function toFormer({ rows, project }: Awaited<ReturnType<typeof openLogs>>): Promise<void> {
  const [files, lines, names, ...others] = ['files', 'lines', 'names', 'secret', 'former'].map((name) =>
    ServiceRows.table(`log_${name}_${project.id}`),
  );
  const sha = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');
  await rows.use(async (connection) => {
    await connection.run(
      `CREATE TABLE old_files AS SELECT id, name, format, state, CAST([] AS VARCHAR[]) AS heads, '' AS tail, 0 AS tail_bytes,
        "offset", lines, events, rejected, skipped, other_hosts, rejects, added_at FROM ${files}`,
    );
    await connection.run(`DROP TABLE ${files}`);
    await connection.run(
      `CREATE TABLE ${files} (id INTEGER PRIMARY KEY, name VARCHAR, format VARCHAR, state VARCHAR, heads VARCHAR[],
        tail VARCHAR, tail_bytes INTEGER, "offset" BIGINT, lines BIGINT, events BIGINT, rejected BIGINT, skipped BIGINT,
        other_hosts BIGINT, rejects VARCHAR, added_at BIGINT)`,
    );
    await connection.run(`INSERT INTO ${files} SELECT * FROM old_files; DROP TABLE old_files`);
    for (const { id, name, offset } of await connection.rows(`SELECT id, name, "offset" FROM ${files}`)) {
      const text = (await readFile(String(name), 'latin1')).slice(0, Number(offset));
      const ends = [...text.slice(0, 4096).matchAll(/\n/g)].map(({ index }) => index + 1);
      const heads = ends.map((end) => sha(text.slice(0, end)));
      const tail = text.slice(-4096);
      await connection.run(
        `UPDATE ${files} SET heads = from_json(?::JSON, '["VARCHAR"]'), tail = ?, tail_bytes = ? WHERE id = ?`,
        [JSON.stringify(heads), sha(tail), tail.length, Number(id)],
      );
    }
    await connection.run(`ALTER TABLE ${lines} DROP COLUMN mark`);
    await connection.run(`UPDATE ${names} SET version = split_part(version, ' [', 1)`);
    for (const one of others) await connection.run(`DROP TABLE ${one}`);
    await connection.run('CHECKPOINT sandbox');
  });
}

test('logs read by an earlier version continue: each line once, with a key, and changed settings apply', async () => {
  const opened = await openLogs();
  const { path, add, events, rows } = opened;
  const first = Array.from({ length: 120 }, (_, n) => line({ url: `/${n}` })).join('');
  await writeFile(path('access.log'), first);
  await long(path('quiet.log'), line({ url: '/q?id=1', at: '20/Nov/2026:10:00:00 +0000' }));
  await long(path('gone.log'), line({ url: '/gone', at: '19/Nov/2026:10:00:00 +0000' }));
  await long(path('begin.log'), first.slice(0, first.indexOf('/100 ')).replace(/[^\n]*$/, ''));
  await add(['access.log', 'quiet.log', 'gone.log']);
  await toFormer(opened);
  await rm(path('gone.log'));
  // It grew, was rotated and packed, and begins anew; another one only begins like it.
  await appendFile(path('access.log'), line({ url: '/120' }));
  await long(path('access.log.1.gz'), gzipSync(await readFile(path('access.log'))));
  await writeFile(path('access.log'), line({ url: '/new' }));
  const expected = [...Array.from({ length: 121 }, (_, n) => `/${n}`), '/gone', '/new', '/q'].toSorted();
  const paths = async () => (await events('urlpath')).flat().map(String).toSorted();
  const { files } = await add(['access.log*', 'quiet.log'], { query_strings: 'drop' });
  expect(files).toMatchObject([
    { status: 'added', events: 1, earlier_name: null },
    { status: 'added', events: 121 },
    { status: 'added', events: 1 },
  ]);
  expect([await paths(), (await events('url')).flat().some((one) => String(one).includes('?'))]).toEqual([
    expected,
    false,
  ]);
  // Now each line has its mark: parts of what is known are known.
  expect((await add(['.'], { query_strings: 'drop' })).files.map(({ status }) => status)).toEqual(
    Array(4).fill('known'),
  );
  expect([await paths(), rows.isToRewrite]).toEqual([expected, true]);
});

test('no file contains addresses, their hashes change daily, and queries keep only the allowed parameters', async () => {
  const { path, add, events, rows } = await openLogs();
  const [first, next] = ['23/Nov/2026:10:00:00 +0000', '24/Nov/2026:10:00:00 +0000'];
  await long(
    path('a.log'),
    line({ at: first, url: '/?id=1&email=a@b.c&id=2' }) +
      line({ at: first, url: '/?email=a' }) +
      line({ at: next, url: '/?' }),
  );
  await add(['a.log'], { addresses: 'hash', query_strings: ['id'] });
  const [a, b, c] = (await events('client')).flat();
  expect([a === b, a === c]).toEqual([true, false]);
  expect(a).toMatch(/^[0-9a-f]{16}$/);
  expect((await events('url')).flat()).toEqual(
    ['?id=1&id=2', '', ''].map((one) => `https://www.shop.example/${one}`),
  );
  await rows.use((connection) => connection.run('CHECKPOINT sandbox'));
  const file = await readFile(path('../rows.duckdb'));
  expect([file.includes('203.0.113.9'), file.includes('email')]).toEqual([false, false]);
});

test('an invalid host counts as another host, whatever its ending', async () => {
  const it = await openLogs();
  const hosts = [
    'a b.shop.example',
    'other.example#.shop.example',
    'x@other.example/.shop.example',
    '^.shop.example',
  ];
  const lines = [...hosts, 'www.shop.example'].map(
    (host) => `{"ts":1791665736,"request":{"host":"${host}","method":"GET","uri":"/a"},"status":200}\n`,
  );
  await writeFile(it.path('a.log'), lines.join(''));
  expect((await it.add(['a.log'])).files).toMatchObject([{ status: 'added', events: 1, other_hosts: 4 }]);
});

test('escapes beyond a byte in JSON neither end a row nor forge one', async () => {
  const it = await openLogs();
  const forged = String.raw`/a\u010a9\u01091791665736\u01091\u0109/forged\u00e9`;
  const record = `{"ts":1791665736,"request":{"method":"GET","uri":"${forged}"},"status":200}\n`;
  await writeFile(it.path('a.log'), record);
  expect((await it.add(['a.log'])).files).toMatchObject([{ status: 'added', events: 1 }]);
  expect(await it.events('url')).toEqual([
    ['https://www.shop.example/a%C4%8A9%C4%891791665736%C4%891%C4%89/forged%C3%A9'],
  ]);
});

test('lines of other hosts are counted and left out', async () => {
  const { path, add, events } = await openLogs();
  const hosts = [
    'www.shop.example:443',
    'shop.example',
    'blog.shop.example',
    'other.example',
    'cdn.example',
    'WWW.SHOP.EXAMPLE',
  ];
  await long(
    path('v.log'),
    hosts.map((host) => `${host}${host.includes(':') ? '' : ':80'} ${line()}`).join(''),
  );
  const { files } = await add(['v.log'], { hosts: ['cdn.example'] });
  expect(files).toMatchObject([
    { format: 'vhost_combined', lines: 6, events: 5, other_hosts: 1, other_host_names: ['other.example'] },
  ]);
  expect((await events('url_host')).flat()).toEqual([
    'www.shop.example',
    'shop.example',
    'blog.shop.example',
    'cdn.example',
    'www.shop.example',
  ]);
});

test('repeated lines of one second are not a copy, also if the days of a file are in reverse order', async () => {
  const { path, add } = await openLogs();
  const day = (day: number): string =>
    Array.from({ length: 12 }, () =>
      ['/a', '/b', '/c'].map((url) => line({ url, at: `${day}/Nov/2026:10:00:00 +0000` })).join(''),
    ).join('');
  await long(path('a.log'), day(23) + day(22) + day(21));
  expect((await add(['a.log'])).files).toMatchObject([{ events: 108, known_lines: 0 }]);
});

test('log pages are the same in whatever order lines arrived, and match the events', async () => {
  const event = fc.record({
    day: fc.integer({ min: 26, max: 30 }),
    second: fc.integer({ min: 10, max: 59 }),
    url: fc.constantFrom('/', '/a', '/a?b=1', '/c'),
    status: fc.constantFrom('200', '304', '404', '500'),
    agent: fc.constantFrom('Mozilla/5.0 Firefox/140.0', GOOGLEBOT, 'curl/8'),
    address: fc.constantFrom('66.249.66.1', '203.0.113.5'),
  });
  const parts = fc.array(fc.array(event, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, async (files) => {
      const { logs, at, path, add, pages, resources, rows, project } = await openLogs();
      for (const [index, events] of files.entries()) {
        at(`2026-12-${28 + index}T12:00:00Z`);
        const text = events.map(({ day, second, ...more }) =>
          line({ at: `${day}/Dec/2026:23:00:${second} +0000`, ...more, agent: `${more.agent} ${index}` }),
        );
        await long(path(`${index}.log`), text.join(''));
        await add([`${index}.log`]);
      }
      at('2027-01-11T00:00:00Z');
      await logs.settle();
      const found = [];
      for (const granularity of GRANULARITIES) found.push(await pages(granularity));
      const events = resources.dataset(project.id, 'events');
      if (events === undefined) throw new Error('there are no events');
      await deriveLogPages(rows, events, { id: project.id, weeks: 'iso' });
      for (const granularity of GRANULARITIES) expect(await pages(granularity)).toEqual(found.shift());
      const days = new Set(files.flat().map(({ day }) => `2026-12-${day}`));
      expect((await changedDays(rows)).map(({ day }) => day)).toEqual([...days].sort());
    }),
    { seed: testSeed(), numRuns: 6, endOnFailure: true },
  );
});

test('weeks and months are summed once they have ended, and again after a changed day', async () => {
  const { logs, at, path, add, pages } = await openLogs();
  const hits = async (granularity: 'days' | 'weeks' | 'months') =>
    (await pages(granularity)).map((row) => Number(Object.values(row as object).find(Number)));
  at('2026-11-25T01:00:00Z');
  await long(path('a.log'), line({ at: '15/Nov/2026:10:00:00 +0000' }) + line());
  await add(['a.log']);
  // The week of 15 November has ended, that of the 23rd and the month have not.
  expect([await hits('days'), await hits('weeks'), await hits('months')]).toEqual([[1, 1], [1], []]);
  at('2026-11-30T00:00:00Z');
  await logs.settle();
  expect([await hits('weeks'), await hits('months')]).toEqual([[1, 1], []]);
  at('2026-12-01T00:00:00Z');
  await logs.settle();
  expect(await hits('months')).toEqual([2]);
  await long(path('b.log'), line({ at: '15/Nov/2026:11:00:00 +0000', agent: 'curl/8' }));
  await add(['b.log']);
  expect([await hits('days'), await hits('weeks'), await hits('months')]).toEqual([[2, 1], [2, 1], [3]]);
});
