import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { filterOfQuery, type PageFilter } from '../../../answers/explore/pages/page-filter.ts';
import { type PageStatement, pageStatement } from '../../../answers/explore/pages/page-statement.ts';
import { projectPath } from '../../layout/addresses.ts';
import type { Readers } from '../../readers/readers.ts';
import type { Statement } from '../../readers/statement.ts';

/** Keys of a download's address, next to the filter of the list. */
const OF_FILE = ['format', 'names', 'name', 'links', 'bom'];

/** Returns the address of the whole list as a file. */
export function listDownload(
  project: string,
  list: URLSearchParams,
  file: Readonly<Record<string, string>>,
): string {
  return `${projectPath(project)}/pages/download?${new URLSearchParams([...list, ...Object.entries(file)])}`;
}

export function splitDownload(query: URLSearchParams) {
  const part = (isFile: boolean) =>
    new URLSearchParams([...query].filter(([name]) => OF_FILE.includes(name) === isFile));
  return { list: part(false), file: part(true) };
}

/**
 * Returns the statement of a list of pages, or of all links to them.
 *
 * @throws CrawlhouseError `usage`
 */
export async function listStatement(
  readers: Readers,
  asked: { readonly project_id: string; readonly list: URLSearchParams; readonly isLinks: boolean },
): Promise<Statement> {
  const filter = filterOfQuery(asked.project_id, asked.list);
  const read = await readPageStatement(readers, filter);
  const sql = asked.isLinks ? read.inlinks : read.sql;
  if (sql === null) throw new CrawlhouseError('usage', 'the links of this crawl are not loaded');
  return { question: null, sql, parameters: boundParameters(read.parameters) };
}

/** Reads the statement of a list once for its page and its files. */
export function readPageStatement(readers: Readers, filter: PageFilter): Promise<PageStatement> {
  return readers.readOnce(`pages: ${JSON.stringify(filter)}`, (warehouse, signal) =>
    pageStatement(warehouse, filter, signal),
  );
}

export function boundParameters(values: ReadonlyMap<string, string | null>): Statement['parameters'] {
  return [...values].map(([name, value]) => ({ name, type: 'text', default: null, description: '', value }));
}
