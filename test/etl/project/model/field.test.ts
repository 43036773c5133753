import { expect, test } from 'vitest';
import { columnType } from '../../../../src/etl/project/model/field.ts';
import { type Unit, unitName } from '../../../../src/etl/project/model/unit.ts';

test.for([
  ['natural', 'BIGINT'],
  ['integer', 'BIGINT'],
  ['float', 'DOUBLE'],
  ['percentage', 'DOUBLE'],
  ['ratio', 'DOUBLE'],
  ['bool', 'BOOLEAN'],
  ['date', 'DATE'],
  ['datetime', 'TIMESTAMP WITH TIME ZONE'],
  ['string', 'VARCHAR'],
  ['hash', 'VARCHAR'],
  ['enum', 'VARCHAR'],
] as const)('a field of type %s is a column of type %s, or a list of it if it is many', ([type, sql]) => {
  expect(columnType({ name: 'f', type, arity: 'one' })).toBe(sql);
  expect(columnType({ name: 'f', type, arity: 'many' })).toBe(`${sql}[]`);
});

test('objects and unknown types are JSON, whose arrays need no list', () => {
  for (const type of ['object', 'nested', 'brand_new']) {
    expect(columnType({ name: 'f', type, arity: 'one' })).toBe('JSON');
    expect(columnType({ name: 'f', type, arity: 'many' })).toBe('JSON');
  }
});

test('only integers widen', () => {
  expect(columnType({ name: 'f', type: 'natural', arity: 'one' }, true)).toBe('DECIMAL(38,0)');
  expect(columnType({ name: 'f', type: 'integer', arity: 'many' }, true)).toBe('DECIMAL(38,0)[]');
  expect(columnType({ name: 'f', type: 'string', arity: 'one' }, true)).toBe('VARCHAR');
});

test('a unit is named by dataset, source and window', () => {
  const unit: Unit = {
    dataset: 'crawl_pages',
    source: { kind: 'crawl', id: '65a1', project_id: 'p' },
    window: null,
  };
  expect(unitName(unit)).toBe('crawl_pages/65a1');
  const window = { from: '2026-11-01', to: '2026-11-02' };
  expect(unitName({ ...unit, dataset: 'log_events', window })).toBe('log_events/65a1/2026-11-01');
});
