import { join } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host, timestamp } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { SqlLedger } from '../sql-ledger.ts';
import { LEDGER_FILE, sqliteLedger } from './sqlite-ledger.ts';

/**
 * Opens the ledger of a state directory for the one process that writes. A damaged one is put aside, and the caller
 * fills a new one from the published warehouse.
 *
 * @throws CrawlhouseError `newer_version`
 */
export async function openSqliteLedger(stateDir: string, logger: Logger): Promise<SqlLedger> {
  try {
    return await soundLedger(stateDir);
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || error.code !== 'damaged_ledger') throw error;
    const aside = putAside(stateDir);
    logger.warn('the ledger is damaged; a new one is made from the published warehouse', { aside });
    return sqliteLedger(stateDir);
  }
}

async function soundLedger(stateDir: string): Promise<SqlLedger> {
  const ledger = sqliteLedger(stateDir);
  try {
    await ledger.check();
    return ledger;
  } catch (error) {
    await ledger[Symbol.asyncDispose]();
    throw error;
  }
}

/** Its log of changes goes with it: beside another file it would be taken for that one's. */
function putAside(stateDir: string): string {
  const at = timestamp().slice(0, 19).replaceAll(':', '-');
  const aside = join(stateDir, `ledger.damaged-${at}Z.sqlite`);
  const { files } = host();
  for (const suffix of ['', '-wal', '-shm']) {
    const file = join(stateDir, `${LEDGER_FILE}${suffix}`);
    if (files.existsSync(file)) files.renameSync(file, `${aside}${suffix}`);
  }
  return aside;
}
