import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { text } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import { DuckDbMirror } from '../../src/etl/engines/duckdb/duckdb-engine.ts';
import { mirror } from '../../src/etl/pipeline/publish/mirror.ts';
import type { MirrorManifest } from '../../src/etl/pipeline/publish/mirror-objects.ts';
import { readPublished } from '../../src/etl/state/catalog/published/read-published.ts';
import { LocalStore } from '../support/local-store.ts';
import { projectFolder, runProject, sandboxFor } from '../support/project.ts';
import { installPython } from '../support/python-environment.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PACKAGES = ['pyarrow==26.0.1', 'pandas==3.1.1', 'polars==2.1.0', 'fastparquet==2026.9.0'];
const { signal } = new AbortController();

interface Read {
  readonly table: string;
  readonly readers: Record<string, { rows?: number; columns?: string[]; file?: string; error?: string }>;
}

test('every mirrored table has the rows and columns of the warehouse in every reader', async ({ skip }) => {
  const python = await installPython('mirror-readers', PACKAGES).catch((error: Error) => skip(error.message));
  const sandbox = await sandboxFor({ generate: ['projects=2,crawls=2,pages=20,links=40,columns=120'] });
  const folder = await projectFolder();
  await runProject(folder, sandbox);
  const bucket = join(await temporaryFolder(), 'bucket');
  await mkdir(bucket);
  const place = {
    warehouse: join(folder, 'warehouse.duckdb'),
    state_dir: folder,
    memory_limit: '1GB',
    threads: 2,
  };
  await readPublished(place, async (connection) => {
    const columns = await tableColumns(connection, ['raw', 'mart']);
    const tables = [...columns.keys()];
    const store = new LocalStore({ folder: bucket });
    const options = {
      store,
      prefix: '',
      tables,
      columns,
      publication: 'p',
      format: 'parquet' as const,
      snapshots: 1,
      folder: join(folder, 'on the way'),
    };
    await mirror(new DuckDbMirror(connection), options, signal);
    const out = join(folder, 'read');
    const { stdout } = await promisify(execFile)(
      join(python, 'bin/python'),
      [join(import.meta.dirname, 'read-mirror.py'), bucket, out],
      { maxBuffer: 1e8 },
    );
    const read = stdout
      .trim()
      .split('\n')
      .map((line): Read => JSON.parse(line));
    expect(read.map(({ table }) => table).sort()).toEqual(tables.toSorted());
    const { partitions }: MirrorManifest = JSON.parse(await readFile(join(bucket, 'manifest.json'), 'utf8'));
    for (const [table, files] of Map.groupBy(partitions, (one) => one.table)) {
      const rows = files.reduce((sum, one) => sum + one.rows, 0);
      const most = table.startsWith('raw.') ? rows : Math.floor(rows / 2);
      expect({ table, rows, files: files.length <= Math.max(1, most) }).toEqual({ table, rows, files: true });
    }
    for (const { table, readers } of read) {
      const [counted] = await connection.rows<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`);
      const names = (columns.get(table) ?? []).map(({ name }) => name).sort();
      for (const [reader, found] of Object.entries(readers)) {
        expect({ table, reader, error: found.error, rows: found.rows }).toEqual({
          table,
          reader,
          rows: Number(counted?.n),
        });
        if (found.columns)
          expect({ table, reader, columns: found.columns.toSorted() }).toEqual({
            table,
            reader,
            columns: names,
          });
        if (found.file) await expectSameRows(table, found.file);
      }
    }
    async function expectSameRows(table: string, file: string): Promise<void> {
      const from = `read_parquet(${text(file)})`;
      const types = (relation: string) =>
        connection.rows(
          `SELECT column_name, replace(column_type, 'JSON', 'VARCHAR') AS type FROM (DESCRIBE FROM ${relation})`,
        );
      expect({ table, types: await types(from) }).toEqual({ table, types: await types(table) });
      const differing = await connection.rows(
        `SELECT count(*) AS n FROM ((FROM ${from} EXCEPT ALL FROM ${table}) UNION ALL (FROM ${table} EXCEPT ALL FROM ${from}))`,
      );
      expect({ table, file, differing }).toEqual({ table, file, differing: [{ n: 0n }] });
    }
  });
});
