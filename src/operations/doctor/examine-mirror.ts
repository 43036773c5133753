import { type Check, look } from '../../core/duckdb/check.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { readPublished } from '../../state/catalogue/read-published.ts';

/** Whether the published warehouse has the tables that the setting `mirror` names. */
export async function examineMirror(settings: Settings, signal: AbortSignal): Promise<Check> {
  return await look(
    'mirror',
    async () => {
      const { tables, store } = settings.mirror ?? { tables: [], store: '' };
      if (tables.length === 0) return { message: 'not set' };
      const found = await readPublished(settings, (connection) => tableColumns(connection, ['raw', 'mart']));
      if (found === undefined) return { message: `${tables.length} to ${store}; nothing published yet` };
      const missing = tables.find((table) => !found.has(table));
      if (missing === undefined) return { message: `${tables.length} to ${store}` };
      throw new CrawlhouseError('bad_settings', `mirror.tables: there is no ${missing} in the warehouse`, {
        hint: `${didYouMean(missing, [...found.keys()])}crawlhouse query 'SHOW ALL TABLES' lists the tables`,
      });
    },
    signal,
  );
}
