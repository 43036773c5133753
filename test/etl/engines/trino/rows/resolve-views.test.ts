import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RelationNames } from '../../../../../src/etl/engines/trino/client/relation-names.ts';
import { resolveViews } from '../../../../../src/etl/engines/trino/rows/comment-views.ts';
import {
  type Definition,
  definitionText,
  inOrder,
  readDefinition,
  sqlParts,
  viewSql,
} from '../../../../../src/etl/engines/trino/rows/definition.ts';

const names = new RelationNames('p_');
const loads = new Map([
  ['definition', 'd'],
  ['u1', 'l1'],
]);
const stored: Definition = { columns: ['d."url"', `coalesce(d."a b", d."c") AS "x  y"`] };
const rows = `(SELECT d."url", coalesce(d."a b", d."c") AS "x  y" FROM "p_store"."raw_pages" AS d WHERE d._load_id IN ('l1') AND (d._load_id, d._unit) IN (('l1', 'u1')))`;

function resolved(definitions: ReadonlyMap<string, Definition>, relation: string): string {
  const known = { names, definitions, seen: () => loads };
  return resolveViews((nameOf) => `SELECT * FROM ${nameOf(relation)}`, known);
}

test('the writer reads its own loads through nested views, whatever the white space of their SQL', () => {
  const space = fc.string({
    unit: fc.constantFrom(' ', '\n', '\t', '\r', '\n      ', '\u00a0'),
    minLength: 1,
  });
  fc.assert(
    fc.property(space, space, space, (a, b, c) => {
      const view = sqlParts((nameOf) => `SELECT${a}url${b}FROM${c}${nameOf('raw.pages')} AS "raw.pages"${a}`);
      const definitions = new Map<string, Definition>([
        ['raw.pages', stored],
        ['mart.pages', { select: [...view] }],
      ]);
      const kept = new Map(
        [...definitions].map(([relation, one]) => [
          relation,
          readDefinition(definitionText(one)) as Definition,
        ]),
      );
      expect(kept).toEqual(definitions);
      expect(resolved(kept, 'mart.pages')).toBe(
        `SELECT * FROM (SELECT${a}url${b}FROM${c}${rows} AS "raw.pages"${a})`,
      );
      expect(viewSql('mart.pages', { select: [...view] }, 'visible', names)).toBe(
        `CREATE OR REPLACE VIEW "p_mart"."pages" AS SELECT${a}url${b}FROM${c}"p_raw"."pages" AS "raw.pages"${a}`,
      );
    }),
  );
});

test.each([
  'CREATE OR REPLACE VIEW "p_raw"."pages" AS SELECT d."url" FROM store.visible',
  '{"columns":"url"}',
  '{"select":["SELECT 1"],"of":"visible"}',
  '',
])('if a definition has another form, %j, the writer reads its own view', (text) => {
  const definition = readDefinition(text);
  expect(definition).toBeUndefined();
  expect(resolved(new Map(), 'raw.pages')).toBe('SELECT * FROM "p_work"."raw_pages"');
});

test('with many loads, also below another view, the writer keeps its own view', () => {
  const many = new Map(Array.from({ length: 201 }, (_, at) => [`u${at}`, `l${at}`]));
  const definitions = new Map<string, Definition>([
    ['raw.pages', stored],
    ['mart.pages', { select: ['SELECT * FROM ', { relation: 'raw.pages' }] }],
  ]);
  const known = { names, definitions, seen: () => many };
  expect(resolveViews((nameOf) => `FROM ${nameOf('mart.pages')}`, known)).toBe(
    'FROM (SELECT * FROM "p_work"."raw_pages")',
  );
});

test('a relation name in text or in a longer name stays unchanged', () => {
  const text = `'"p_work"."raw_pages"' AS "p_work.raw_pages"`;
  const known = { names, definitions: new Map([['raw.pages', stored]]), seen: () => loads };
  expect(resolveViews((nameOf) => `SELECT ${text} FROM ${nameOf('raw.pages')}`, known)).toBe(
    `SELECT ${text} FROM ${rows}`,
  );
});

test('a relation without loads has no rows, and exactly 200 loads are still listed', () => {
  const definitions = new Map([['raw.pages', stored]]);
  const seenBy = (count: number) => {
    const seen = new Map(Array.from({ length: count }, (_, at) => [`u${at}`, 'l']));
    return resolveViews((nameOf) => nameOf('raw.pages'), { names, definitions, seen: () => seen });
  };
  expect(seenBy(0)).toBe(
    '(SELECT d."url", coalesce(d."a b", d."c") AS "x  y" FROM "p_store"."raw_pages" AS d WHERE false)',
  );
  expect(seenBy(200)).toContain(
    "WHERE d._load_id IN ('l') AND (d._load_id, d._unit) IN (('l', 'u0'), ('l', 'u1'), ",
  );
  expect(seenBy(201)).toBe('"p_work"."raw_pages"');
});

test('views follow those that they read, once each, even in a circle', () => {
  const reads = (...relations: string[]): Definition => ({
    select: ['FROM ', ...relations.map((relation) => ({ relation }))],
  });
  const definitions = new Map([
    ['mart.a', reads('mart.c', 'mart.b', 'raw.elsewhere')],
    ['mart.b', reads('mart.c', 'mart.a')],
    ['mart.c', stored],
  ]);
  expect(inOrder(['mart.a', 'mart.b', 'mart.c', 'mart.d'], definitions)).toEqual([
    'mart.c',
    'mart.b',
    'mart.a',
    'mart.d',
  ]);
});

test('a view of stored rows reads its pointers first, for the writer or for readers', () => {
  const pointers = names.lastPointers('work', 'raw.pages');
  expect(viewSql('raw.pages', stored, 'work', names)).toBe(
    `CREATE OR REPLACE VIEW "p_work"."raw_pages" AS SELECT d."url", coalesce(d."a b", d."c") AS "x  y"
      FROM (${pointers}) AS p
      JOIN "p_store"."raw_pages" AS d ON d._load_id = p.load_id AND d._unit = p.unit`,
  );
});
