import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import type { LedgerUnit } from '../../../../../src/etl/project/model/runs/ledger-records.ts';
import type { Unit } from '../../../../../src/etl/project/model/unit.ts';
import type { Ledger } from '../../../../../src/etl/state/ledger/ledger.ts';
import { openLedger, readLedger } from '../../../../../src/etl/state/ledger/open-ledger.ts';
import { LEDGER_FILE, sqliteLedger } from '../../../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { ledgerContract } from '../ledger-contract.ts';

const { signal } = new AbortController();

ledgerContract('SQLite', {
  open: (folder) => openLedger({ state_dir: folder, projectDir: folder }, 'run', silentLogger, signal),
  read: (folder) => readLedger({ state_dir: folder, projectDir: folder }),
});

test('a yielded run of an earlier version has the current status', async () => {
  const folder = await temporaryFolder();
  {
    await using ledger = sqliteLedger(folder);
    await ledger.startRun('r1', 'backfill', '2026-03-02T06:00:00.000Z');
  }
  using former = new DatabaseSync(join(folder, LEDGER_FILE));
  former.exec(`UPDATE runs SET status = 'made room'; PRAGMA user_version = 5`);
  await using ledger = sqliteLedger(folder);
  expect(await ledger.runs(1)).toMatchObject([{ run_id: 'r1', command: 'backfill', status: 'yielded' }]);
});

const crawl = (id: string): Unit => ({
  dataset: 'crawl_pages',
  source: { kind: 'crawl', id, project_id: 'p' },
  window: null,
});
const unitRow = (id: string): LedgerUnit => ({
  unit: `crawl_pages/${id}`,
  ...crawl(id),
  status: 'refused',
  attempts: 1,
  error: null,
  failures: 1,
  failing_since: null,
  next_try_at: null,
  updated_at: '2026-11-21T08:00:00.000Z',
});

/** A method of the ledger, and where the database fails in the middle of it. */
const METHODS: readonly (readonly [string, string, (ledger: Ledger) => Promise<unknown>])[] = [
  ['setDiscovery', 'INSERT ON facts', (ledger) => ledger.setDiscovery({ open: ['c9'], swept_at: 'now' })],
  ['publishLoaded', 'INSERT ON facts', (ledger) => ledger.publishLoaded('p2')],
  ['startRun', 'INSERT ON runs', (ledger) => ledger.startRun('r2', 'run', '2026-11-21T09:00:00.000Z')],
  [
    'discoverUnits',
    `INSERT ON units WHEN NEW.unit LIKE '%c8'`,
    (ledger) => ledger.discoverUnits([crawl('c7'), crawl('c8')]),
  ],
  [
    'restore',
    'INSERT ON runs',
    (ledger) =>
      ledger.restore(
        [unitRow('c7')],
        [
          {
            run_id: 'r0',
            command: 'run',
            status: 'done',
            started_at: '2026-11-20T08:00:00.000Z',
            ended_at: null,
            summary: null,
          },
        ],
      ),
  ],
  [
    'forgetUnits',
    `DELETE ON units WHEN OLD.unit LIKE '%c2'`,
    (ledger) => ledger.forgetUnits(['crawl_pages/c1', 'crawl_pages/c2']),
  ],
  ['reconcile', `UPDATE ON units WHEN NEW.unit LIKE '%c2'`, (ledger) => ledger.reconcile(new Map())],
];

test.each(METHODS)('%s is one transaction: a failure in the middle changes nothing', async (_, at, write) => {
  const folder = await temporaryFolder();
  await using ledger = sqliteLedger(folder);
  await ledger.discoverUnits([crawl('c1'), crawl('c2')]);
  for (const id of ['c1', 'c2'])
    for (const state of ['requested', 'downloading', 'staged', 'loaded'] as const)
      await ledger.setUnit(crawl(id), state, 1, null);
  await ledger.setDiscovery({ open: ['c1'], swept_at: null });
  await ledger.startRun('r1', 'run', '2026-11-21T08:00:00.000Z');
  const all = async (): Promise<unknown> => [
    await ledger.units(),
    await ledger.discovery(),
    await ledger.runs(),
    await ledger.publication(),
  ];
  const before = await all();
  using file = new DatabaseSync(join(folder, LEDGER_FILE));
  file.exec(`CREATE TRIGGER fails BEFORE ${at} BEGIN SELECT RAISE(ABORT, 'the disk fails'); END`);
  await expect(write(ledger)).rejects.toThrow('the disk fails');
  expect(await all()).toEqual(before);
  file.exec('DROP TRIGGER fails');
  await write(ledger);
  expect(await all()).not.toEqual(before);
});
