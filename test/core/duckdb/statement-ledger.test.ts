import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../../../src/core/duckdb/statement-ledger.ts');

test('the ledger contains a line for each statement, with its caller, its times and the start of its text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-ledger-'));
  try {
    const file = join(folder, 'statements.jsonl');
    const script = `const { keepStatements } = await import(${JSON.stringify(SOURCE)});
      await keepStatements(${JSON.stringify(file)});
      const { DuckDBInstance } = await import('@duckdb/node-api');
      const connection = await (await DuckDBInstance.create(':memory:')).connect();
      async function ask() { return await connection.runAndReadAll('SELECT   1 +\\n $1', [1]); }
      await ask();
      await connection.run('SELECT nothing').catch(() => {});
      await connection.run('SELECT ' + '1 + '.repeat(100) + '1');`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ sql }) => sql.slice(0, 16))).toEqual([
      'SELECT 1 + $1',
      'SELECT nothing',
      'SELECT 1 + 1 + 1',
    ]);
    expect(lines[0].caller).toMatch(/^ask /);
    expect(lines[2].sql).toHaveLength(160);
    for (const { at, ms, cpu_ms } of lines)
      expect([at >= 0, ms >= 0, cpu_ms >= 0]).toEqual([true, true, true]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
