import { expect, test } from 'vitest';
import { RelationNames } from '../../../../../src/etl/engines/trino/client/relation-names.ts';

const names = new RelationNames('p_');

test('each relation has a view of readers, a view of the writer and a table', () => {
  expect(names.reader('raw.crawl_pages')).toBe('"p_raw"."crawl_pages"');
  expect(names.work('raw.crawl_pages')).toBe('"p_work"."raw_crawl_pages"');
  expect(names.stored('raw.crawl_pages')).toBe('"p_store"."raw_crawl_pages"');
  expect(names.storedParts('mart.pages')).toEqual(['p_store', 'mart_pages']);
  expect([names.visible, names.candidate]).toEqual(['"p_store".visible', '"p_store".candidate']);
});

test('readers see visible pointers, and the writer also those of its newest token', () => {
  const last = 'SELECT * FROM "p_store".candidate WHERE token = (SELECT max(token) FROM "p_store".candidate)';
  expect(names.lastPointers('visible')).toBe(
    `SELECT relation, unit, max_by(load_id, seq) AS load_id
      FROM (SELECT * FROM "p_store".visible) AS pointer WHERE relation IS NOT NULL GROUP BY relation, unit`,
  );
  expect(names.lastPointers('work', 'raw.a')).toBe(
    `SELECT relation, unit, max_by(load_id, seq) AS load_id
      FROM (SELECT * FROM "p_store".visible UNION ALL ${last}) AS pointer WHERE relation = 'raw.a' GROUP BY relation, unit`,
  );
});
