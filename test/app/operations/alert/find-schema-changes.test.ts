import { expect, test } from 'vitest';
import { findSchemaChanges } from '../../../../src/app/operations/alert/find-schema-changes.ts';
import type { FieldChange } from '../../../../src/etl/state/catalog/ops/ops-schema-changes.ts';

const change = (own: Partial<FieldChange>): FieldChange => ({
  project_id: 'p1',
  dataset: 'crawl_pages',
  field: 'rank',
  change: 'retyped',
  before: 'natural',
  after: 'string',
  column_name: 'rank',
  value_count: null,
  changed_at: '2026-03-02T06:00:00.000Z',
  ...own,
});
const nameOf = (id: string): string => (id === 'p1' ? 'shop' : id);

test('the schema changes of a dataset are one incident, with one line per change', () => {
  const variant = { change: 'variant', before: 'BIGINT', after: 'VARCHAR', column_name: 'rank__v_text' };
  const found = findSchemaChanges(
    [
      change({}),
      change({ ...variant, value_count: 1200 }),
      change({ ...variant, value_count: 4, changed_at: '2026-03-01T06:00:00.000Z' }),
      change({ field: 'tag', change: 'arity', before: 'one', after: 'many' }),
      change({ dataset: 'crawl_links', ...variant }),
    ],
    nameOf,
  );
  expect(found).toMatchObject([
    {
      key: 'schema/p1/crawl_pages',
      event: 'schema',
      title: 'shop: fields of crawl_pages changed',
      details: [
        'rank came as VARCHAR instead of BIGINT: 1,204 values in rank__v_text',
        'tag: one became many',
      ],
      began: '2026-03-01T06:00:00.000Z',
      hint: expect.stringContaining('retype: allow'),
    },
    { details: ['rank came as VARCHAR instead of BIGINT: its values in rank__v_text'] },
  ]);
});
