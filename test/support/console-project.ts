import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { type Connection, Database, text } from '../../src/core/duckdb/duckdb.ts';
import type { LedgerRun, LedgerUnit } from '../../src/etl/project/model/runs/ledger-records.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { createSchema } from '../../src/etl/state/catalog/create-schema.ts';
import { FILE_OPTIONS } from '../../src/etl/state/catalog/schema.ts';
import { sqliteLedger } from '../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { projectFolder, rawProjectFolder } from './project.ts';
import { threads } from './threads.ts';

/** A name that breaks out of markup where it is not escaped, and of its box where it does not wrap. */
export const HOSTILE = `Shop "north" <script>alert(1)</script> & 'south' ${'long'.repeat(65)}`;

/** Beyond 2^53. */
export const HUGE = '9007199254740993';

const AT = '2026-11-20T06:00:00.000Z';

export function ledgerUnit(unit: string, more: Partial<LedgerUnit> = {}): LedgerUnit {
  const [dataset = '', id = ''] = unit.split('/');
  return {
    unit,
    dataset,
    source: { kind: 'crawl', id, project_id: 'p1' },
    window: null,
    status: 'published',
    attempts: 1,
    error: null,
    failures: 0,
    failing_since: null,
    next_try_at: null,
    updated_at: AT,
    ...more,
  } as LedgerUnit;
}

export function ledgerRun(run_id: string, more: Partial<LedgerRun> = {}): LedgerRun {
  return {
    run_id,
    command: 'run',
    status: 'done',
    started_at: '2026-11-20T05:59:00.000Z',
    ended_at: AT,
    summary: null,
    ...more,
  };
}

/** A project whose warehouse and ledger are written by hand. */
export async function consoleProject(
  parent: string,
  fill: (connection: Connection) => Promise<void>,
  {
    units = [],
    runs = [],
    withQuestions = false,
  }: {
    readonly units?: readonly LedgerUnit[];
    readonly runs?: readonly LedgerRun[];
    readonly withQuestions?: boolean;
  },
): Promise<Settings> {
  const folder = await (withQuestions ? projectFolder(parent) : rawProjectFolder(parent));
  const settings = await loadSettings(folder, {});
  await mkdir(settings.state_dir, { recursive: true });
  {
    await using database = await Database.open({
      memoryLimit: '400MB',
      threads: threads(),
      tempDirectory: join(settings.state_dir, 'spill'),
    });
    const connection = await database.connect();
    await connection.run(`ATTACH ${text(settings.warehouse)} AS warehouse (${FILE_OPTIONS}); USE warehouse`);
    await createSchema(connection);
    await fill(connection);
    await connection.run('USE memory; DETACH warehouse');
  }
  await using ledger = sqliteLedger(settings.state_dir);
  await ledger.restore(units, []);
  for (const { run_id, command, started_at, status, ended_at, summary } of runs) {
    await ledger.startRun(run_id, command, started_at);
    if (ended_at !== null) await ledger.endRun(run_id, status, ended_at, summary);
  }
  return settings;
}
