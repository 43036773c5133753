import { expect, test } from 'vitest';
import { mergeType } from '../../../../../src/etl/state/catalog/raw/merge-type.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';

const WIDE = 'DECIMAL(38,0)';

test.for([
  ['BIGINT', 'BIGINT', 'BIGINT', false],
  ['BIGINT', WIDE, WIDE, true],
  [WIDE, 'BIGINT', WIDE, false],
  ['VARCHAR', 'VARCHAR[]', 'VARCHAR[]', true],
  ['VARCHAR[]', 'VARCHAR', 'VARCHAR[]', false],
  ['BIGINT[]', WIDE, `${WIDE}[]`, true],
  [WIDE, 'BIGINT[]', `${WIDE}[]`, true],
  [`${WIDE}[]`, 'BIGINT', `${WIDE}[]`, false],
  ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP WITH TIME ZONE', false],
] as const)('%s merges with %s into %s', ([table, incoming, type, changes]) => {
  const merged = mergeType(table, incoming);
  expect(merged?.type).toBe(type);
  expect(merged?.existing !== null).toBe(changes);
});

test.for([
  ['BIGINT', 'DOUBLE'],
  ['DOUBLE', 'BIGINT'],
  ['VARCHAR', 'BIGINT'],
  ['JSON', 'VARCHAR'],
  ['DATE', 'TIMESTAMP WITH TIME ZONE'],
  ['BOOLEAN[]', 'VARCHAR[]'],
  ['DOUBLE', WIDE],
] as const)('%s does not merge with %s', ([table, incoming]) => {
  expect(mergeType(table, incoming)).toBeNull();
});

test('the conversions keep every value, and NULL stays NULL', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const value = async (type: string, text: string, sql: ((value: string) => string) | null | undefined) =>
    connection.scalar(`SELECT CAST(${sql?.(`CAST(${text} AS ${type})`) ?? 'error(1)'} AS VARCHAR)`);
  const widened = mergeType('BIGINT', WIDE);
  expect(await value('BIGINT', '9223372036854775807', widened?.existing)).toBe('9223372036854775807');
  const lifted = mergeType('BIGINT', `${WIDE}[]`);
  expect(await value('BIGINT', '7', lifted?.existing)).toBe('[7]');
  expect(await value('BIGINT', 'NULL', lifted?.existing)).toBeNull();
  expect(await value(`${WIDE}[]`, '[18446744073709551616, NULL]', lifted?.incoming)).toBe(
    '[18446744073709551616, NULL]',
  );
});

test.for([
  ['BIGINT', 'DOUBLE', 'DOUBLE', true],
  ['DOUBLE', 'BIGINT', 'DOUBLE', false],
  [WIDE, 'DOUBLE[]', 'DOUBLE[]', true],
  ['BIGINT', WIDE, WIDE, true],
  ['DATE', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP WITH TIME ZONE', true],
  ['BIGINT', 'VARCHAR', 'VARCHAR', true],
  ['VARCHAR[]', 'BOOLEAN', 'VARCHAR[]', false],
  ['JSON', 'BIGINT', 'VARCHAR', true],
] as const)('with retype: allow, %s merges with %s into %s', ([table, incoming, type, changes]) => {
  const merged = mergeType(table, incoming, true);
  expect(merged?.type).toBe(type);
  expect(merged?.existing !== null).toBe(changes);
});

test('values that are converted to a common type keep their meaning', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const merged = async (table: string, incoming: string, value: string) => {
    const { incoming: lift = String } = mergeType(table, incoming, true) ?? {};
    return connection.scalar(`SELECT CAST(${lift(`CAST(${value} AS ${incoming})`)} AS VARCHAR)`);
  };
  expect(await merged('DOUBLE', 'BIGINT', '7')).toBe('7.0');
  expect(await merged('VARCHAR', 'DOUBLE', '0.5')).toBe('0.5');
  expect(await merged('VARCHAR[]', 'BIGINT', '7')).toBe('[7]');
  expect(await merged('VARCHAR', 'JSON', `'{"a":1}'`)).toBe('{"a":1}');
  expect(await merged('VARCHAR', 'BIGINT', 'NULL')).toBeNull();
  expect(await merged('TIMESTAMP WITH TIME ZONE', 'DATE', `'2025-03-30'`)).toBe('2025-03-30 00:00:00+00');
});
