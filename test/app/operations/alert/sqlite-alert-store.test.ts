import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteAlertStore } from '../../../../src/app/operations/alert/open-alert-store.ts';
import { makePrivateFolder } from '../../../../src/core/files/private-files.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { alertStoreContract } from './alert-store-contract.ts';

alertStoreContract('SQLite', async (folder) => sqliteAlertStore(join(folder, 'alerts')));

const RUN = { scope: 'morning', run_id: 'r', since: '2026-03-01', at: '2026-03-02' };

test('an alert store of an earlier version keeps its open incidents and undelivered alerts', async () => {
  const folder = join(await temporaryFolder(), 'alerts');
  const open = { key: 'stale/p1', event: 'stale', title: 'no new crawl', project_id: 'p1', since: '2026' };
  const alert = { event: 'stale', title: 'no new crawl', details: ['one', 'two'], hint: null, ...RUN };
  makePrivateFolder(folder);
  using former = new DatabaseSync(join(folder, 'alerts.sqlite'));
  former.exec(`
    CREATE TABLE troubles (key TEXT PRIMARY KEY, trouble TEXT NOT NULL) STRICT;
    CREATE TABLE outbox (id INTEGER PRIMARY KEY, target TEXT NOT NULL, alert TEXT NOT NULL) STRICT;`);
  former
    .prepare('INSERT INTO troubles VALUES (?, ?)')
    .run(open.key, JSON.stringify({ ...open, told: ['webhook-1', 'command-2'] }));
  former
    .prepare('INSERT INTO outbox VALUES (7, ?, ?)')
    .run('webhook-1', JSON.stringify({ ...alert, trouble: open.key }));
  for (const time of ['the first', 'a second'] as const) {
    await using store = sqliteAlertStore(folder);
    expect(await store.incidents(), time).toEqual([{ ...open, targets: ['webhook-1', 'command-2'] }]);
    expect(await store.undelivered(), time).toEqual([
      { id: 7, target: 'webhook-1', alert: { ...alert, incident: open.key } },
    ]);
  }
  expect(former.prepare(`SELECT name FROM sqlite_schema WHERE name = 'troubles'`).all()).toEqual([]);
});
