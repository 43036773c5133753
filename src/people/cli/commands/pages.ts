import { filterFlag, OPERATORS } from '../../../answers/explore/page-filter.ts';
import { type FoundPages, readPages } from '../../../answers/explore/read-pages.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { counted } from '../../../core/amounts.ts';
import { CrawlhouseError } from '../../../core/errors.ts';
import { textTable } from '../../../core/text-table.ts';
import type { Command } from '../command.ts';

const ROWS = 100;

export const pages: Command = {
  name: 'pages',
  summary: 'the pages of a crawl that have an issue or meet conditions',
  positionals: { shown: '', most: 0 },
  flags: {
    project: { type: 'string', value: 'PROJECT', help: 'its name or id; needed where there are several' },
    crawl: {
      type: 'string',
      value: 'CRAWL',
      help: 'an identifier, latest, previous, -N or a day (the main crawl)',
    },
    issue: { type: 'string', value: 'NAME', help: 'only pages with this issue' },
    change: {
      type: 'string',
      value: 'CHANGE',
      help: 'since the crawl before: added, removed or a column that differs; of an issue: new, fixed, remaining',
    },
    since: { type: 'string', value: 'CRAWL', help: 'the crawl that --change compares with' },
    segment: { type: 'string', value: 'SEGMENT', help: 'only pages of this directory or segment' },
    segmentation: { type: 'string', value: 'NAME', help: 'the segmentation of the segment' },
    filter: {
      type: 'string',
      value: 'COLUMN=OPERATOR:VALUE',
      multiple: true,
      help: `only pages whose column is so, as in depth=gte:4 (${Object.keys(OPERATORS).join(', ')})`,
    },
    where: {
      type: 'string',
      value: 'CONDITION',
      multiple: true,
      help: "only pages for which it holds: SQL on columns of mart.pages, as in 'status_code = 404'",
    },
    sort: {
      type: 'string',
      value: 'COLUMN',
      help: "by this column; 'COLUMN desc': the largest first (inrank_decimal desc)",
    },
    columns: { type: 'string', value: 'COLUMN', multiple: true, help: 'show this column too' },
    limit: { type: 'string', value: 'N', help: `the most rows (${ROWS})` },
  },
  async run(invocation) {
    const text = (flag: string): string | undefined => invocation.text(flag);
    const filter = {
      ...{ project: text('project'), crawl: text('crawl'), issue: text('issue'), sort: text('sort') },
      ...{ change: text('change'), since: text('since') },
      ...{ segment: text('segment'), segmentation: text('segmentation') },
      conditions: invocation.texts('filter').map(filterFlag),
      where: invocation.texts('where'),
      columns: invocation.texts('columns'),
    };
    const limit = limitOf(text('limit'));
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    const found = await readPages(warehouse, filter, limit, invocation.signal);
    if (invocation.has('json')) {
      await invocation.printJson({ total: found.total, rows: found.rows });
      return 0;
    }
    await invocation.print(shown(found, invocation.terminal?.width ?? null));
    return 0;
  },
};

function limitOf(given: string | undefined): number {
  if (given === undefined) return ROWS;
  if (/^[1-9]\d{0,6}$/.test(given)) return Number(given);
  throw new CrawlhouseError('usage', `--limit: ${given} does not work`, {
    hint: 'write a number from 1 to 9999999',
  });
}

function shown({ project, crawl_id, ended_at, total, rows }: FoundPages, width: number | null): string {
  const end = ended_at === null ? '' : ` of ${ended_at.slice(0, 16).replace('T', ' ')} UTC`;
  const part = rows.length < total ? `; the first ${rows.length}` : '';
  const caption = `${project}, crawl${end} (${crawl_id}): ${counted(total, 'page')}${part}\n`;
  const [first] = rows;
  if (first === undefined) return caption;
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => cellOf(row[name])));
  return caption + textTable(names, cells, { width, below: ['title', 'why'] });
}

const cellOf = (value: unknown): string | number | null =>
  value === null || typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
