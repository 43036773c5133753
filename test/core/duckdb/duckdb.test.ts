import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Database, ident, STORAGE_OPTION, table, text } from '../../../src/core/duckdb/duckdb.ts';
import { anyCharacter } from '../../support/characters.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** Any text that DuckDB can hold: no NUL, which ends an SQL text. */
const anyText = fc.string({ unit: anyCharacter, maxLength: 40 }).filter((value) => !value.includes('\0'));
const nasty = fc.oneof(
  anyText,
  fc.string({ unit: fc.constantFrom('"', "'", ';', '\\', '-', '\n', '$', '%', 'a', ' ', '.') }),
);

test('a quoted text is that text', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  await fc.assert(
    fc.asyncProperty(nasty, async (value) => {
      expect(await connection.scalar(`SELECT ${text(value)}`)).toBe(value);
    }),
    { numRuns: 200 },
  );
});

test('a quoted identifier is that name, for tables and columns', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const names = nasty.filter((name) => name.length > 0);
  await fc.assert(
    fc.asyncProperty(names, names, async (name, column) => {
      await connection.run(`CREATE OR REPLACE TABLE ${table('main', name)} (${ident(column)} INTEGER)`);
      await connection.run(`INSERT INTO ${table('main', name)} (${ident(column)}) VALUES (7)`);
      const value = await connection.scalar(`SELECT ${ident(column)} FROM ${table('memory', 'main', name)}`);
      expect(value).toBe(7);
      const found = await connection.rows(
        'SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND table_name = ?',
        [name],
      );
      expect(found).toEqual([{ table_name: name, column_name: column }]);
      await connection.run(`DROP TABLE ${table('main', name)}`);
    }),
    { numRuns: 40 },
  );
});

test('a bound value is never SQL', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  expect(await connection.rows('SELECT ? AS v', ["'; DROP TABLE x; --"])).toEqual([
    { v: "'; DROP TABLE x; --" },
  ]);
});

test('whole numbers come as bigint, and a statement says how many rows it changed', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  expect(await connection.run('CREATE TABLE t AS SELECT range AS n FROM range(5)')).toBe(5n);
  expect(await connection.run('DELETE FROM t WHERE n > ?', [2])).toBe(2n);
  expect(await connection.run('DROP TABLE t')).toBe(0n);
  expect(await connection.rows('SELECT 9007199254740993 AS n')).toEqual([{ n: 9007199254740993n }]);
  expect(await connection.jsonRows('SELECT 9007199254740993 AS n')).toEqual([{ n: '9007199254740993' }]);
  expect(await connection.scalar('SELECT 1 WHERE false')).toBeUndefined();
});

test('the time zone of a session is UTC', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  expect(await connection.scalar("SELECT CAST(TIMESTAMPTZ '2026-01-31 12:00:00+01' AS VARCHAR)")).toBe(
    '2026-01-31 11:00:00+00',
  );
});

test('an abort ends a running statement, and the connection stays usable', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const controller = new AbortController();
  const reason = new Error('enough');
  const endless = connection.scalar(
    'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b',
    [],
    controller.signal,
  );
  setTimeout(() => controller.abort(reason), 50);
  await expect(endless).rejects.toBe(reason);
  expect(await connection.scalar('SELECT 1')).toBe(1);
  await expect(connection.run('SELECT 1', [], controller.signal)).rejects.toBe(reason);
});

test('a transaction that throws leaves nothing, one that returns keeps everything', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  await connection.run('CREATE TABLE t (n INTEGER)');
  const failing = connection.transaction(async () => {
    await connection.run('INSERT INTO t VALUES (1)');
    await connection.run('CREATE TABLE u (n INTEGER)');
    throw new Error('in the middle');
  });
  await expect(failing).rejects.toThrow('in the middle');
  expect(await connection.scalar('SELECT count(*) FROM t')).toBe(0n);
  await expect(connection.run('FROM u')).rejects.toThrow('does not exist');
  const answer = await connection.transaction(async () => {
    await connection.run('INSERT INTO t VALUES (2)');
    return 'done';
  });
  expect([answer, await connection.scalar('SELECT sum(n) FROM t')]).toEqual(['done', 2n]);
});

test('closing a database closes its connections', async () => {
  const folder = await temporaryFolder();
  const database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  await database[Symbol.asyncDispose]();
  await expect((async () => connection.run('SELECT 1'))()).rejects.toThrow();
});

test('text in a file is compressed by zstd, also in a file of an older format', async () => {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const attach = (options: string) =>
    connection.run(`ATTACH ${text(join(folder, 'old.duckdb'))} AS kept (BLOCK_SIZE 32768${options})`);
  const add = async () => {
    await connection.run(
      "INSERT INTO kept.pages SELECT 'https://example.org/' || md5(CAST(range AS VARCHAR)) FROM range(5000)",
    );
    await connection.run('CHECKPOINT kept');
  };
  const methods = async () => {
    const rows = await connection.rows(
      "SELECT DISTINCT compression FROM pragma_storage_info('kept.pages') WHERE segment_type = 'VARCHAR' ORDER BY 1",
    );
    return rows.map(({ compression }) => compression);
  };
  await attach('');
  await connection.run('CREATE TABLE kept.pages (url VARCHAR)');
  await add();
  expect(await methods()).toEqual(['Uncompressed']);
  await connection.run('DETACH kept');
  await attach(`, ${STORAGE_OPTION}`);
  await connection.run('DELETE FROM kept.pages');
  await add();
  expect(await methods()).toEqual(['ZSTD']);
});
