import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyJson } from '../../src/core/text/json.ts';
import { temporaryFolder } from './temporary.ts';

/** A crawl folder whose pages hold what breaks other tools. */
export async function hostileCrawl(): Promise<string> {
  const folder = join(await temporaryFolder(), 'hostile-2026-03-01');
  await mkdir(folder);
  const fields = [
    ['url', 'string', 'one'],
    ['Title', 'string', 'one'],
    ['title', 'string', 'one'],
    ['page_group_casino main', 'string', 'one'],
    ['say "so"', 'string', 'many'],
    ['clicks', 'natural', 'one'],
    ['simhash', 'natural', 'one'],
    ['ratio', 'float', 'one'],
    ['indexable', 'bool', 'one'],
    ['fetch_date', 'datetime', 'one'],
    ['day', 'date', 'one'],
    ['extra', 'object', 'one'],
    ['depths', 'natural', 'many'],
  ].map(([name, type, arity]) => ({
    name,
    type,
    arity,
    can_display: true,
    can_filter: true,
    can_sort: true,
    actions: ['equals'],
  }));
  const row = (n: number, more: Record<string, unknown>) => ({
    url: `https://example.com/${n}`,
    Title: null,
    title: null,
    'page_group_casino main': null,
    'say "so"': null,
    clicks: null,
    simhash: null,
    ratio: null,
    indexable: null,
    fetch_date: null,
    day: null,
    extra: null,
    depths: null,
    ...more,
  });
  const rows = [
    row(1, {
      Title: 'Upper',
      title: '',
      clicks: 9007199254740993n,
      simhash: 18446744073709551615n,
      ratio: 0.1,
    }),
    row(2, { Title: '', title: 'semi;colon "quoted"\nnewline', 'say "so"': ['a', 'b;c', ''], clicks: 0 }),
    row(3, {
      title: 'ünïcode 🕷️',
      'say "so"': ['lone'],
      indexable: true,
      fetch_date: '2025/07/01 12:00:00 Europe/Paris',
    }),
    row(4, { 'page_group_casino main': ' spaces ', 'say "so"': [], indexable: false, day: '2024-02-29' }),
    row(5, {
      extra: { a: [1, 'x'], b: null },
      depths: [1, 2, 3],
      fetch_date: '2025/01/08 14:07:03 UTC',
      ratio: 1e300,
    }),
    row(6, { extra: [], depths: [7], simhash: -3 }),
    row(7, {}),
  ];
  await writeFile(join(folder, 'pages.fields.json'), JSON.stringify({ fields }));
  await writeFile(join(folder, 'pages.jsonl'), rows.map((one) => `${stringifyJson(one)}\n`).join(''));
  return folder;
}
