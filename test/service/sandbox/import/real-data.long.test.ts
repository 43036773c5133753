import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, lines, parseCsv, service } from '../../support.ts';

const DATA = join(import.meta.dirname, '../../../../../shared/data');
const missing = !existsSync(DATA);
const reason = missing ? ` (skipped: ${DATA} is not there)` : '';

/** As the service sends it: a list of one is a lone value. */
function onTheWire(line: string): Json {
  const row = JSON.parse(line) as Json;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 1 ? value[0] : value,
    ]),
  );
}

describe.skipIf(missing)(`real data${reason}`, () => {
  test('every row of the real crawls survives a round trip', async () => {
    const dirs = ['gov-sites-2025-01-09', 'gov-sites-2025-01-16', 'typo3-site'].map((name) =>
      join(DATA, name),
    );
    const it = await service({ importDirs: [...dirs, join(DATA, 'semicomplete-logs')] });
    expect(await it.crawls()).toHaveLength(3);
    for (const [name, dataType, count] of [
      ['gov-sites-2025-01-09', 'pages', 1036],
      ['gov-sites-2025-01-16', 'pages', 977],
      ['typo3-site', 'pages', 49],
      ['typo3-site', 'links', 2691],
    ] as const) {
      const source = lines(readFileSync(join(DATA, name, `${dataType}.jsonl`), 'utf8'));
      const crawl = (await it.crawls()).find((found) => {
        const ended = new Date(Number(found.ended_at)).toISOString().slice(0, 10);
        return name.endsWith(ended) || (name === 'typo3-site' && !ended.startsWith('2025-01'));
      });
      const id = String(crawl?.id);
      const exported = lines((await it.export(id, dataType, 'json')).text);
      expect(exported).toHaveLength(count);
      expect(exported.map((line) => JSON.parse(line) as Json)).toEqual(source.map(onTheWire));
      expect(parseCsv((await it.export(id, dataType, 'csv')).text)).toHaveLength(count + 1);
    }
  });

  test('750 fields with spaces and unspecified types are generated and served', async () => {
    const file = join(DATA, 'catalog/pages-750.fields.json');
    const it = await service({ generate: [`pages=300,fields=${file}`] });
    const crawl = await it.crawlId();
    const { fields } = JSON.parse(readFileSync(file, 'utf8')) as { fields: Json[] };
    expect((await it.api(`/data/crawl/${crawl}/pages/fields`)).json.fields).toEqual(fields);
    const rows = lines((await it.export(crawl, 'pages', 'json')).text).map(
      (line) => JSON.parse(line) as Json,
    );
    expect(rows).toHaveLength(300);
    expect(Object.keys(rows[0] ?? {})).toEqual(fields.map((field) => field.name));
    const csv = parseCsv((await it.export(crawl, 'pages', 'csv')).text);
    expect(csv).toHaveLength(301);
    expect(csv.every((row) => row.length === 750)).toBe(true);
  });
});
