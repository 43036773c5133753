import { expect, test } from 'vitest';
import { fingerprintSql } from '../../../../src/etl/state/catalog/fingerprint.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

test('a unit without rows or columns has a fingerprint', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const values = [{ column: 'id', sql: 'id' }];
  for (const from of ['(SELECT 1 AS id WHERE false)', '(SELECT 1 AS id)'])
    expect(await connection.scalar(`SELECT ${fingerprintSql([])} FROM ${from}`)).toBe('0');
  const none = `SELECT ${fingerprintSql(values)} FROM (SELECT 1 AS id WHERE false)`;
  expect(await connection.scalar(none)).toBe('0');
});
