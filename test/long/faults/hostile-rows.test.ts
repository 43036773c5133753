import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { capture } from '../../app/cli/capture.ts';
import { rawProjectFolder } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed } from '../../support/random.ts';

const SITE = 'https://www.example.com/';
const ROUNDS = ALL_ROUNDS ? 12 : 2;

/** What no row should have, and some have. */
const text = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '-',
      "'",
      '"',
      '""',
      '\\',
      '\u0000',
      '\ud800',
      '%',
      '%zz',
      '\ufeff',
      'null',
      'NaN',
      '1e309',
      '9223372036854775808',
    ],
    ...[
      '-1',
      '0',
      '0.0',
      '12,5',
      '1.000',
      'https://www.example.com/q',
      'javascript:alert(1)',
      '=1+1',
      'a\tb',
      '\u202e',
      '🜲',
    ],
    'q'.repeat(10_000),
    `/${'p'.repeat(1_000_000)}`,
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const day = fc.oneof(
  fc.constantFrom(
    '2026-10-05',
    '0001-01-01',
    '2569-11-10',
    '99999-01-01',
    '1447-05-03',
    '26-10-05',
    '2026-02-30',
    '',
  ),
  fc.date({ noInvalidDate: true }).map((one) => one.toISOString().slice(0, 10)),
);
const figure = fc.oneof(
  text,
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.double().map(String),
);
const quoted = (one: string): string => `"${one.replaceAll('"', '""')}"`;
const searchRow = fc
  .tuple(day, text, text, figure, figure, figure)
  .map((cells) => cells.map(quoted).join(','));
const year = fc.constantFrom('0001', '2569', '99999', '1447', '0026', '9999', '1969', '26');
const logRow = fc
  .tuple(year, text, figure, figure, text)
  .map(
    ([at, path, status, bytes, agent]) =>
      `203.0.113.9 - - [10/Nov/${at}:12:00:00 +0000] "GET /${path} HTTP/1.1" ${status} ${bytes} "-" "${agent}"`,
  );

const goodLog = (round: number): string =>
  Array.from(
    { length: 40 },
    (_, n) =>
      `203.0.113.9 - - [0${1 + (round % 9)}/Nov/2026:10:00:${10 + n} +0000] "GET /good-${round}-${n} HTTP/1.1" 200 5 "-" "Mozilla/5.0 Firefox/140.0"\n`,
  ).join('');
const HEAD = 'date,page,query,clicks,impressions,position\n';
const goodTable = (round: number): string =>
  `${HEAD}${Array.from({ length: 20 }, (_, n) => `2026-0${1 + (round % 9)}-${10 + (n % 18)},${SITE}good-${round},tea ${n},1,20,2.5\n`).join('')}`;

test(`later commands succeed with their own rows after any hostile rows (seed ${roundSeed()})`, async () => {
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'crawlhouse.yaml'), 'on_reject: quarantine\n');
  const run = (...words: string[]) => capture(...words, '--project-dir', folder);
  const rows = fc.record({
    logs: fc.array(logRow, { minLength: 1, maxLength: 30 }),
    demand: fc.array(searchRow, { minLength: 1, maxLength: 30 }),
  });
  for (const [round, { logs, demand }] of fc.sample(rows, { numRuns: ROUNDS, seed: roundSeed() }).entries()) {
    const [log, table] = [join(folder, `odd-${round}.log`), join(folder, `odd-${round}.csv`)];
    writeFileSync(log, `${goodLog(round).replaceAll('/good', '/beside')}${logs.join('\n')}\n`);
    writeFileSync(
      table,
      `${goodTable(round).replaceAll(`good-${round}`, `beside-${round}`)}${demand.join('\n')}\n`,
    );
    for (const words of [
      ['logs', 'add', log, '--on-reject', 'quarantine', '--site', SITE],
      ['demand', 'add', table],
    ]) {
      const { code, stderr } = await run(...words);
      // Refused is right, a fault of ours is not.
      expect([0, 2, 4], `${words.join(' ')}: ${stderr}`).toContain(code);
    }
    writeFileSync(join(folder, 'good.log'), goodLog(round));
    writeFileSync(join(folder, 'good.csv'), goodTable(round));
    for (const words of [
      ['logs', 'add', join(folder, 'good.log')],
      ['demand', 'add', join(folder, 'good.csv')],
    ]) {
      const { code, stderr } = await run(...words);
      expect(code, `${words.join(' ')}: ${stderr}`).toBe(0);
    }
    const { stdout, stderr } = await run(
      'query',
      `SELECT (SELECT count(*) FROM raw.log_events WHERE contains(url, '/good-${round}-')) AS logs,
        (SELECT count(*) FROM raw.ranking_performance WHERE url = '${SITE}good-${round}') AS demand`,
      ...['--format', 'json'],
    );
    expect(JSON.parse(stdout), stderr).toEqual([{ logs: 40, demand: 20 }]);
  }
});
