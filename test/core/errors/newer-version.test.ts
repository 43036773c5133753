import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { keepVersion } from '../../../src/core/errors/newer-version.ts';

test.each([0, 2, 3, 4])('a file of version %i is brought to version 3, or closed if it is newer', (found) => {
  const database = new DatabaseSync(':memory:');
  database.exec(`PRAGMA user_version = ${found}`);
  const keep = () => keepVersion(database, '/a.sqlite', { what: 'ledger', known: 3 }, 'update it');
  if (found > 3) {
    expect(keep).toThrow(
      '/a.sqlite was written by a newer crawlhouse (ledger version 4; this crawlhouse supports 3)',
    );
    expect(database.isOpen).toBe(false);
    return;
  }
  keep();
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5000 });
  database.close();
});
