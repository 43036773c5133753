import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/logger.ts';
import { openLedger, readLedger } from '../../../src/state/ledger/open-ledger.ts';
import { LEDGER_FILE, sqliteLedger } from '../../../src/state/ledger/sqlite/sqlite-ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { ledgerContract } from './ledger-contract.ts';

const { signal } = new AbortController();

ledgerContract('SQLite', {
  open: (folder) => openLedger({ state_dir: folder, projectDir: folder }, 'run', silentLogger, signal),
  read: (folder) => readLedger({ state_dir: folder, projectDir: folder }),
});

test('a run of an earlier version that yielded the lock has the status of today', async () => {
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
