import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withPagesColumns, withPagesHead } from '../../scripts/pages-model.ts';
import { PAGE_FIELD_ENTRIES, PAGE_FIELDS } from '../../src/client/fields/page-fields.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const MODEL = read('sql/crawl_pages/pages.sql');

test('the header of pages.sql matches its SELECT and the table of page fields: npm run fields writes it', () => {
  expect(MODEL).toBe(withPagesHead(MODEL));
  const contract = read('sql/contract.yaml');
  expect(contract).toBe(withPagesColumns(contract, MODEL));
});

test('a new field of the SELECT gets its description, type and place in the contract', () => {
  const entry = PAGE_FIELDS.header_etag;
  const model = MODEL.replace('\n  compressed,\n', '\n  header_etag,\n  compressed,\n');
  const head = withPagesHead(model);
  const text = entry.description.replace(/\.$/, '');
  expect(head).toContain(`\n  header_etag: ${text} (raw.crawl_pages.header_etag).\n  compressed:`);
  expect(head).toMatch(/\n {4}header_etag: VARCHAR\n/);
  expect(withPagesHead(head)).toBe(head);
  const contract = read('sql/contract.yaml');
  expect(withPagesColumns(contract, head)).toBe(
    contract.replace('\n      compressed,\n', '\n      header_etag,\n      compressed,\n'),
  );
});

test('a column that only the model has needs its own description', () => {
  const model = MODEL.replace('\n  compressed,\n', '\n  NOT compressed AS is_plain,\n  compressed,\n');
  expect(() => withPagesHead(model)).toThrow('columns of pages.sql has no description of is_plain');
});

test('a removed column stays in the contract, whose version must increase', () => {
  const contract = read('sql/contract.yaml');
  expect(withPagesColumns(contract, MODEL.replace('\n  compressed,\n', '\n'))).toBe(contract);
});

/** Fields that no other code looks at, so each file that names one is a file that a new field needs. */
const LONE = [
  ['header_etag', 'parse/markup-facts.ts'],
  ['num_insecure_forms', 'parse/markup-facts.ts'],
  ['offers_http2', 'parse/parse-page.ts'],
  ['num_resources_failed', 'render/with-rendered.ts'],
  ['is_app_shell', 'jobs/page-sql.ts'],
  ['amp_status_code', 'jobs/page-sql.ts'],
  ['sitemaps_num_file_origin', 'jobs/page-sql.ts'],
] as const;

test('a page field is defined in its entry and where its value is computed', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, names: new Set(read(join('src', path)).match(/\w+/g)) }));
  for (const [name, file] of LONE)
    expect(
      sources
        .filter(({ names }) => names.has(name))
        .map(({ path }) => path)
        .sort(),
      name,
    ).toEqual(['client/fields/page-fields.ts', `site/crawler/${file}`]);
});

test('each page field has a description', () => {
  const strange = PAGE_FIELD_ENTRIES.filter(([, { description }]) => !/^[A-Z].*[^.]\.$/.test(description));
  expect(strange).toEqual([]);
});
