import { join } from 'node:path';
import { keepVersion } from '../../../core/errors/newer-version.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';
import { host } from '../../../core/host/host.ts';
import { inTransaction, isReadOnly, openSqlite, openSqliteToRead } from '../../../core/locks/open-sqlite.ts';
import {
  type LedgerSettings,
  sharedLedger,
  sharedLedgerPart,
} from '../../../etl/state/ledger/open-ledger.ts';
import { SqliteDatabase } from '../../../etl/state/ledger/sqlite/sqlite-database.ts';
import { AlertStore } from './sql-alert-store.ts';

const FILE = 'alerts.sqlite';
/** The lease of the delivering process, in a shared ledger. */
const DELIVERY = 'alerts';
/** Version of these tables. A file of an earlier program has none. */
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS incidents (key TEXT PRIMARY KEY, incident TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, target TEXT NOT NULL, alert TEXT NOT NULL) STRICT;
`;

/** Renames from earlier versions. */
const RENAME = `
  INSERT INTO incidents
    SELECT key, json_remove(json_set(trouble, '$.targets', trouble -> '$.told'), '$.told') FROM troubles;
  DROP TABLE troubles;
  UPDATE outbox SET alert = json_remove(json_set(alert, '$.incident', alert ->> '$.trouble'), '$.trouble');
`;

/** Opens the alerts of a project: next to its ledger in the state directory, or in its shared ledger. */
export async function openAlertStore(settings: LedgerSettings): Promise<AlertStore> {
  const folder = join(settings.state_dir, 'alerts');
  const address = sharedLedger(settings);
  if (address === undefined) return sqliteAlertStore(folder);
  const { database, lease } = (await sharedLedgerPart()).openTables(address);
  return new AlertStore(database, folder, async (deliver) => {
    await using held = await lease(DELIVERY, 'delivery of alerts', settings.state_dir);
    if (held !== undefined) await deliver();
  });
}

/** Opens the alerts for reading; undefined if there are none yet. */
export async function readAlertStore(settings: LedgerSettings): Promise<AlertStore | undefined> {
  const address = sharedLedger(settings);
  if (address === undefined && !host().files.existsSync(join(settings.state_dir, 'alerts'))) return undefined;
  if (address !== undefined)
    return (await (await sharedLedgerPart()).hasTables(address)) ? openAlertStore(settings) : undefined;
  const folder = join(settings.state_dir, 'alerts');
  try {
    return sqliteAlertStore(folder);
  } catch (error) {
    const path = join(folder, FILE);
    if (!isReadOnly(error)) throw error;
    return host().files.existsSync(path)
      ? new AlertStore(new SqliteDatabase(openSqliteToRead(path)), folder)
      : undefined;
  }
}

/**
 * Opens `<state_dir>/alerts`, which stores the alerts of one machine.
 *
 * @throws CrawlhouseError `newer_version`
 */
export function sqliteAlertStore(folder: string): AlertStore {
  makePrivateFolder(folder);
  const path = join(folder, FILE);
  const database = new SqliteDatabase(openSqlite(path));
  const { file } = database;
  const hint =
    'use the newer version; or remove the file: crawlhouse then finds and reports open incidents again';
  keepVersion(file, path, { what: 'alerts', known: VERSION }, hint);
  file.exec('PRAGMA journal_mode = WAL');
  inTransaction(file, () => {
    file.exec(SCHEMA);
    const former = file.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'troubles'`).get();
    if (former !== undefined) file.exec(RENAME);
  });
  return new AlertStore(database, folder);
}
