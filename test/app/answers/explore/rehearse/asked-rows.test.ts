import { expect, test } from 'vitest';
import { z } from 'zod';
import { askedRows } from '../../../../../src/app/answers/explore/rehearse/asked-rows.ts';
import { rehearsedSite } from './rehearsed-site.ts';

test('a shown statement has the values of its parameters, but not within texts', async () => {
  const asked = askedRows(rehearsedSite(), new AbortController().signal);
  const sql = "SELECT 1 WHERE a = $crawl AND b LIKE '%$crawl%' AND c = $other";
  await asked.rows('pages', z.strictObject({}), { sql, parameters: { crawl: "c'2" } });
  expect(asked.statements).toEqual([
    { name: 'pages', sql: "SELECT 1 WHERE a = 'c''2' AND b LIKE '%$crawl%' AND c = $other" },
  ]);
});
