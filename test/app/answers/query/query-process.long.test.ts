import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processScope } from '../../../../src/core/host/host.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/until.ts';
import { queryProcess, someWarehouse } from './some-warehouse.ts';
import '../../../support/process-timeout.ts';

const { signal } = new AbortController();

const foldersOf = (path: string): string[] => {
  const folder = join(dirname(path), '.crawlhouse', 'query');
  return existsSync(folder) ? readdirSync(folder) : [];
};

test('rows arrive as JSON values, text in pieces, and a slow reader is awaited', async () => {
  const { path } = await someWarehouse("CREATE TABLE t AS SELECT 9007199254740993 AS n, 'a' AS s");
  const warehouse = await queryProcess(path);
  expect(await warehouse.rows('FROM t', signal)).toEqual([{ n: 9007199254740993n, s: 'a' }]);
  expect(await warehouse.rows('FROM t WHERE s = $s', signal, new Map([['s', 'b']]))).toEqual([]);
  let isBusy = false;
  let text = '';
  const write = async (piece: string): Promise<void> => {
    expect(isBusy).toBe(false);
    isBusy = true;
    await new Promise((resolve) => setImmediate(resolve));
    text += piece;
    isBusy = false;
  };
  expect(await warehouse.write('FROM range(10000)', { format: 'jsonl' }, write, signal)).toBe(10000);
  expect(text.split('\n')).toHaveLength(10001);
});

test('a value larger than the memory limit ends the query, and the next query works', async () => {
  const { path } = await someWarehouse();
  const warehouse = await queryProcess(path, { memory: '100MB' });
  await expect(warehouse.rows("SELECT length(repeat('x', 2000000000))", signal)).rejects.toMatchObject({
    code: 'query_limit',
    exitCode: 2,
    message: expect.stringMatching(/memory|allocate/),
  });
  expect(await warehouse.rows('SELECT 1 AS n', signal)).toEqual([{ n: 1 }]);
  expect(foldersOf(path)).toHaveLength(1);
});

test('a query over its time limit is ended, even within an uninterruptible function', async () => {
  const { path } = await someWarehouse();
  const warehouse = await queryProcess(path, { seconds: 1 });
  for (const sql of [
    'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b',
    'SELECT sleep_ms(60000)',
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
    "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))",
    "SELECT CAST(repeat('9', 24000000) AS BIGNUM) * 3",
    'SELECT count(*) FROM (SELECT a.range, b.range, count(*) FROM range(20000000) a, range(20) b GROUP BY ALL)',
    "SELECT jaro_winkler_similarity(repeat('ab', 300000), repeat('ba', 300000))",
    "SELECT regexp_matches(repeat('a', 100000000), '(a*)*b') FROM range(1000)",
  ]) {
    await expect(warehouse.rows(sql, signal), sql).rejects.toMatchObject({
      code: 'query_limit',
      message: 'the query was ended: it took longer than 1.0 s',
    });
  }
});

test('rows, bytes and spilled bytes are limited', async () => {
  const { path } = await someWarehouse();
  const warehouse = await queryProcess(path, { rows: 5000, result: '100KB', temp: '20MB', memory: '50MB' });
  const limited = (setting: string) => ({ code: 'query_limit', hint: expect.stringContaining(setting) });
  await expect(warehouse.rows('FROM range(5001)', signal)).rejects.toMatchObject(limited('query_row_limit'));
  expect(await warehouse.rows('FROM range(5000)', signal)).toHaveLength(5000);
  await expect(warehouse.rows("SELECT repeat('x', 200000)", signal)).rejects.toMatchObject(
    limited('query_result_limit'),
  );
  const sort = `SELECT max(r) FROM (
    SELECT h, row_number() OVER (ORDER BY h) AS r FROM (SELECT hash(range)::VARCHAR AS h FROM range(5000000)))`;
  await expect(warehouse.rows(sort, signal)).rejects.toMatchObject(limited('query_temp_limit'));
  expect(await warehouse.rows('SELECT 1 AS n', signal)).toEqual([{ n: 1 }]);
});

test('the limits also apply to Parquet files', async () => {
  const { path, folder } = await someWarehouse();
  const output = join(folder, 'rows.parquet');
  const few = await queryProcess(path, { rows: 10 }, { output });
  await expect(few.writeParquet('FROM range(11)', output, signal)).rejects.toMatchObject({
    code: 'query_limit',
  });
  const small = await queryProcess(path, { result: '1MB' }, { output });
  const random = 'SELECT random() FROM range(100000000)';
  await expect(small.writeParquet(random, output, signal)).rejects.toMatchObject({
    code: 'query_limit',
    message: 'the query was ended: it wrote more than 1.0 MB',
  });
  expect((await stat(output)).size).toBeLessThan(100_000_000);
});

test('an abort ends the query process immediately', async () => {
  const { path } = await someWarehouse();
  const warehouse = await queryProcess(path);
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 50);
  await expect(warehouse.rows('SELECT sleep_ms(60000)', controller.signal)).rejects.toBe(reason);
  expect(await warehouse.rows('SELECT 1 AS n', signal)).toEqual([{ n: 1 }]);
});

test('the query process does not have the environment variables of its parent', async () => {
  const { path } = await someWarehouse();
  const warehouse = await queryProcess(path);
  await warehouse.rows('SELECT 1', signal);
  const [folder = ''] = foldersOf(path);
  const pid = /^\.crawlhouse-query-[0-9a-f]{12}-(\d+)-/.exec(folder)?.[1];
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/PATH=|CRAWLHOUSE_|HOME=/);
});

test('no file remains after the end, after killing the client, or after killing both processes', async () => {
  const { path } = await someWarehouse();
  {
    await using warehouse = await queryProcess(path);
    await warehouse.rows('SELECT 1', signal);
    expect(foldersOf(path)).toHaveLength(1);
  }
  expect(foldersOf(path)).toEqual([]);

  const program = join(dirname(path), 'ask.ts');
  const source = join(
    import.meta.dirname,
    '..',
    '..',
    '..',
    '..',
    'src',
    'app',
    'answers',
    'query',
    'query-process.ts',
  );
  await writeFile(
    program,
    `import { QueryProcess } from ${JSON.stringify(source)};
     const warehouse = await QueryProcess.start({ warehouse: ${JSON.stringify(path)},
       stateDir: ${JSON.stringify(join(dirname(path), '.crawlhouse'))}, threads: 1,
       limits: { seconds: 60, memory: '100MB', temp: '1GB', rows: 10, result: '1MB' } });
     process.stdout.write('ready');
     await warehouse.rows('SELECT sleep_ms(60000)', new AbortController().signal);`,
  );
  const asking = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void asking.kill('SIGKILL'));
  await once(asking.stdout, 'data');
  expect(foldersOf(path)).toHaveLength(1);
  asking.kill('SIGKILL');
  await until(async () => foldersOf(path).length === 0 || undefined);

  const left = join(
    dirname(path),
    '.crawlhouse',
    'query',
    `.crawlhouse-query-${processScope()}-4194304-17-left`,
  );
  mkdirSync(left, { recursive: true });
  await writeFile(join(left, 'warehouse.duckdb'), '');
  await (await queryProcess(path)).rows('SELECT 1', signal);
  expect(existsSync(left)).toBe(false);
});

test('a missing published warehouse is reported', async () => {
  const path = join(await temporaryFolder(), 'warehouse.duckdb');
  await expect(queryProcess(path)).rejects.toMatchObject({ code: 'nothing_published' });
  expect(await readdir(dirname(path))).toEqual([]);
});
