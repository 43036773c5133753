import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPagesColumns, withPagesHead } from './pages-model.ts';

/** Writes the head of `sql/crawl_pages/pages.sql`, and the new columns of `mart.pages` into its contract. */
const root = join(import.meta.dirname, '..');
const file = (...path: string[]): string => join(root, ...path);
const rewrite = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));
const contract = file('sql', 'contract.yaml');
const [, version] = /^version: (\d+)$/m.exec(readFileSync(contract, 'utf8')) ?? [];
const model = file('sql', 'crawl_pages', 'pages.sql');
rewrite(model, withPagesHead);
for (const path of [contract, file('test', 'formats', `contract.v${version}.yaml`)])
  rewrite(path, (text) => withPagesColumns(text, readFileSync(model, 'utf8')));
