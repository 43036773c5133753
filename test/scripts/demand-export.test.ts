import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demandExport } from '../../scripts/demo-site/demand-export.ts';
import { readDemand } from '../../src/site/search-data/read-demand.ts';
import { temporaryFolder } from '../support/temporary.ts';

test('the demo search results are an export by day and URL, up to two days ago', async () => {
  const path = join(await temporaryFolder(), 'demand.csv');
  await writeFile(path, demandExport('http://127.0.0.1:8099', new Date('2026-11-25T12:00:00Z')));
  const signal = new AbortController().signal;
  const [source] = await readDemand([path], { period: null, dimensions: null }, signal);
  expect(source?.format).toBe('search_console_bulk');
  const records = await Array.fromAsync(source?.tables[0]?.records(signal) ?? []);
  const rows = records.flatMap((record) => ('row' in record ? [record.row] : []));
  expect(rows).toHaveLength(records.length);
  const days = new Set(rows.map(({ date }) => date));
  expect([days.size, [...days].sort().at(-1)]).toEqual([14, '2026-11-23']);
  expect(rows.every(({ clicks, impressions }) => clicks <= impressions)).toBe(true);
});
