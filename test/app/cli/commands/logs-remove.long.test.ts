import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Database, ident, table } from '../../../../src/core/duckdb/duckdb.ts';
import { projectFolder } from '../../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../../support/random.ts';
import { capture } from '../capture.ts';

const MAIN = join(import.meta.dirname, '../../../../src/app/cli/main.ts');

function requests(days: readonly number[], path: string): string {
  return days
    .flatMap((day) =>
      Array.from(
        { length: 30 },
        (_, n) =>
          `203.0.113.${n} - - [0${day}/Nov/2026:10:00:${10 + n} +0000] "GET /${path}${n} HTTP/1.1" 200 1 "-" "Mozilla/5.0 Firefox/140.0"\n`,
      ),
    )
    .join('');
}

/** The current rows of each table of a warehouse, without what tells when they were loaded. */
async function warehouseOf(folder: string): Promise<unknown> {
  await using database = await Database.open({
    memoryLimit: '400MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  using connection = await database.connect();
  await connection.run(`ATTACH '${join(folder, 'warehouse.duckdb')}' AS warehouse (READ_ONLY)`);
  const tables = await connection.rows(
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'warehouse' AND schema_name IN ('raw', 'mart') ORDER BY ALL",
  );
  const found: Record<string, unknown> = {};
  for (const { schema_name, table_name } of tables) {
    const [schema, name] = [String(schema_name), String(table_name)];
    const columns = await connection.rows(
      'SELECT column_name AS name FROM duckdb_columns() WHERE database_name = $1 AND schema_name = $2 AND table_name = $3 ORDER BY column_index',
      ['warehouse', schema, name],
    );
    const names = columns
      .map((one) => String(one.name))
      .filter((one) => !/^_(?:run_id|loaded_at|load_id|seen_from)$|^created_at$|_loaded_at$/.test(one));
    // Lists keep former versions of records.
    const current = names.includes('_seen_to') ? 'WHERE _seen_to IS NULL' : '';
    const sql = `SELECT count(*) AS n, CAST(bit_xor(hash(CAST(one AS VARCHAR))) AS VARCHAR) AS digest
      FROM (SELECT ${names.map(ident).join(', ')} FROM ${table('warehouse', schema, name)} ${current}) AS one`;
    const [digest] = await connection.jsonRows(sql);
    if (digest?.n !== '0' && digest?.n !== 0) found[`${schema}.${name}`] = digest;
  }
  return found;
}

test(`logs remove restores the earlier warehouse, even if it is killed (seed ${roundSeed()})`, async () => {
  const folder = await projectFolder();
  const [a, b] = [join(folder, 'a.log'), join(folder, 'b.log')];
  writeFileSync(a, requests([2, 3, 4], 'a'));
  writeFileSync(b, requests([3], 'a') + requests([4, 5], 'b'));
  const run = (...words: string[]) => capture(...words, '--project-dir', folder);
  expect((await run('logs', 'add', a, '--site', 'https://e.example/')).code).toBe(0);
  const before = await warehouseOf(folder);
  const add = async () => {
    const { code, stdout } = await run('logs', 'add', b);
    expect([code, stdout]).toEqual([0, expect.stringContaining('30 of its lines were read before')]);
  };
  await add();
  const dry = await run('logs', 'remove', b, '--dry-run');
  expect([dry.code, dry.stdout, dry.stderr]).toEqual([
    0,
    `${b}: 60 requests of 2 days removed.\n`,
    expect.stringContaining('Nothing was removed (--dry-run).'),
  ]);
  const removed = await run('logs', 'remove', b);
  expect([removed.code, removed.stdout]).toEqual([0, `${b}: 60 requests of 2 days removed.\n`]);
  expect(await warehouseOf(folder)).toEqual(before);
  const unknown = await run('logs', 'remove', b);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('was not added')]);

  const random = seededRandom(roundSeed());
  for (let kill = 0; kill < (ALL_ROUNDS ? 8 : 2); kill++) {
    await add();
    const child = spawn(process.execPath, [MAIN, 'logs', 'remove', b, '--project-dir', folder], {
      stdio: 'ignore',
    });
    const ended = once(child, 'close');
    // The moment of the kill is the subject.
    await sleep(400 + random() * 3000);
    child.kill('SIGKILL');
    await ended;
    const { code } = await run('logs', 'remove', b);
    // Where it had ended before the kill, nothing is left to do.
    expect([0, 2]).toContain(code);
    expect(await warehouseOf(folder)).toEqual(before);
  }

  // The lines that both have stay, and the last file leaves nothing of the logs.
  await add();
  rmSync(a);
  const gone = await run('logs', 'remove', a, '--json');
  expect(JSON.parse(gone.stdout)).toMatchObject({
    removed: [{ status: 'removed', events: 90, shared: [{ file: b, events: 30 }] }],
    run: { status: 'done' },
  });
  expect((await run('logs', 'remove', b)).code).toBe(0);
  const left = await warehouseOf(folder);
  expect(Object.keys(left as object).filter((one) => /log|hits|ingest/.test(one))).toEqual([]);
});
