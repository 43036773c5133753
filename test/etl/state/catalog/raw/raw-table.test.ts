import { expect, test } from 'vitest';
import type { PackageColumn } from '../../../../../src/etl/project/model/manifest.ts';
import { planRawTable } from '../../../../../src/etl/state/catalog/raw/raw-table.ts';

function column(field: string, sqlType = 'VARCHAR', name = field): PackageColumn {
  return { field, type: 'string', arity: 'one', column: name, sql_type: sqlType };
}

const NONE: ReadonlyMap<string, string> = new Map();
const WIDE = 'DECIMAL(38,0)';

/** The column that each field goes to. */
function columnsOf(plan: ReturnType<typeof planRawTable>): Record<string, string> {
  return Object.fromEntries(plan.targets.map((target) => [target.field, target.column]));
}

test('without a table, every field is a new column with its own name', () => {
  const plan = planRawTable('d', [column('url'), column('it"s odd', 'BIGINT')], {
    tableColumns: NONE,
    registry: NONE,
  });
  expect(plan.exists).toBe(false);
  expect(columnsOf(plan)).toEqual({ url: 'url', 'it"s odd': 'it"s odd' });
  expect(plan.changes.map((change) => [change.field, change.change, change.after])).toEqual([
    ['url', 'added', 'VARCHAR'],
    ['it"s odd', 'added', 'BIGINT'],
  ]);
});

test('a table that contains the fields stays unchanged', () => {
  const table = new Map([
    ['_unit', 'VARCHAR'],
    ['url', 'VARCHAR'],
  ]);
  const plan = planRawTable('d', [column('url')], {
    tableColumns: table,
    registry: new Map([['url', 'url']]),
  });
  expect([plan.exists, plan.changes, plan.targets[0]?.added]).toEqual([true, [], false]);
});

test('a new field is added, a wider field or list changes its column', () => {
  const table = new Map([
    ['_unit', 'VARCHAR'],
    ['n', 'BIGINT'],
    ['tags', 'VARCHAR'],
  ]);
  const registry = new Map([
    ['n', 'n'],
    ['tags', 'tags'],
  ]);
  const columns = [column('n', WIDE), column('tags', 'VARCHAR[]'), column('new', 'DATE')];
  expect(planRawTable('d', columns, { tableColumns: table, registry: registry }).changes).toEqual([
    { field: 'n', change: 'widened', before: 'BIGINT', after: WIDE },
    { field: 'tags', change: 'widened', before: 'VARCHAR', after: 'VARCHAR[]' },
    { field: 'new', change: 'added', before: null, after: 'DATE' },
  ]);
});

test('a field that starts wide is recorded as added and widened', () => {
  const plan = planRawTable('d', [column('n', WIDE)], { tableColumns: NONE, registry: NONE });
  expect(plan.changes.map((change) => change.change)).toEqual(['added', 'widened']);
});

test('a mismatched type is drift, with both types named', () => {
  const table = new Map([
    ['_unit', 'VARCHAR'],
    ['n', 'BIGINT'],
  ]);
  expect(() =>
    planRawTable('crawl_pages', [column('n', 'DOUBLE')], {
      tableColumns: table,
      registry: new Map([['n', 'n']]),
    }),
  ).toThrow(
    expect.objectContaining({
      code: 'contract_drift',
      message: 'raw.crawl_pages: the field n has the type DOUBLE, but the table has BIGINT',
    }),
  );
});

test('two fields that differ only in case have two columns, and keep them if one comes alone later', () => {
  const both = planRawTable('d', [column('Title'), column('title', 'VARCHAR', 'title~1')], {
    tableColumns: NONE,
    registry: NONE,
  });
  const columns = columnsOf(both);
  expect(columns.title).toBe('title');
  expect(columns.Title).toMatch(/^Title~[0-9a-f]{6}$/);
  const table = new Map(['_unit', ...Object.values(columns)].map((name) => [name, 'VARCHAR']));
  const registry = new Map(Object.entries(columns));
  expect(
    columnsOf(planRawTable('d', [column('title')], { tableColumns: table, registry: registry })),
  ).toEqual({ title: columns.title });
  const swapped = planRawTable('d', [column('title'), column('Title', 'VARCHAR', 'Title~2')], {
    tableColumns: table,
    registry: registry,
  });
  expect(columnsOf(swapped)).toEqual(columns);
  expect(swapped.changes).toEqual([]);
});

test('the field order of later crawls does not change which field has the plain name', () => {
  const table = new Map([
    ['_unit', 'VARCHAR'],
    ['title', 'VARCHAR'],
  ]);
  const plan = planRawTable('d', [column('Title'), column('title')], {
    tableColumns: table,
    registry: new Map([['title', 'title']]),
  });
  expect(columnsOf(plan).title).toBe('title');
  expect(columnsOf(plan).Title).toMatch(/^Title~/);
});

test('a service field with the name of a crawlhouse column gets another name', () => {
  const plan = planRawTable('d', [column('_unit'), column('_Loaded_At')], {
    tableColumns: NONE,
    registry: NONE,
  });
  expect(columnsOf(plan)._unit).toMatch(/^_unit~[0-9a-f]{6}$/);
  expect(columnsOf(plan)._Loaded_At).toMatch(/^_Loaded_At~[0-9a-f]{6}$/);
  const table = new Map([
    ['_unit', 'VARCHAR'],
    ...plan.targets.map((one) => [one.column, 'VARCHAR'] as const),
  ]);
  const registry = new Map(Object.entries(columnsOf(plan)));
  expect(
    columnsOf(planRawTable('d', [column('_unit')], { tableColumns: table, registry: registry })),
  ).toEqual({ _unit: columnsOf(plan)._unit });
});

test('a field that returns after reloads without it gets its former column', () => {
  const table = new Map([
    ['_unit', 'VARCHAR'],
    ['url', 'VARCHAR'],
    ['title', 'VARCHAR'],
  ]);
  const plan = planRawTable('d', [column('url'), column('title')], {
    tableColumns: table,
    registry: new Map([['url', 'url']]),
  });
  expect(columnsOf(plan)).toEqual({ url: 'url', title: 'title' });
  expect(plan.changes).toEqual([]);
});

test('a field name that starts like crawlhouse columns, or equals a marked name, gets a mark', () => {
  const plan = planRawTable('d', [column('_later'), column('title'), column('Title')], {
    tableColumns: NONE,
    registry: NONE,
  });
  const { _later, Title = '' } = columnsOf(plan);
  expect(_later).toMatch(/^_later~[0-9a-f]{6}$/);
  const table = new Map([['title', 'VARCHAR']]);
  const together = planRawTable('d', [column('Title'), column(Title)], {
    tableColumns: table,
    registry: new Map([['title', 'title']]),
  });
  expect(columnsOf(together)).toEqual({
    Title,
    [Title]: expect.stringMatching(/^Title~[0-9a-f]{6}~[0-9a-f]{6}$/),
  });
});

test('a table is limited to the columns that memory allows', () => {
  const table = new Map(Array.from({ length: 1499 }, (_, index) => [`f${index}`, 'VARCHAR']));
  planRawTable('d', [column('f0'), column('new')], { tableColumns: table, registry: NONE });
  expect(() =>
    planRawTable('d', [column('one'), column('two')], { tableColumns: table, registry: NONE }),
  ).toThrow(
    expect.objectContaining({
      code: 'contract_drift',
      message: 'raw.d would have 1501 columns, but a table has at most 1500',
    }),
  );
});
