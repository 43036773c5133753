import type { Finding } from '../../../core/duckdb/check.ts';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { openConfiguredStore } from '../../../core/stores/registry.ts';
import { counted } from '../../../core/text/amounts.ts';
import { type MirrorSettings, notMirrored } from '../../../etl/pipeline/publish/mirror.ts';
import { examineMirror } from '../../../etl/pipeline/publish/mirror-objects.ts';
import { type PublishedPlace, readPublished } from '../../../etl/state/catalog/published/read-published.ts';

/**
 * Checks that the warehouse contains the tables in the `mirror` setting, and that the bucket contains the copied rows.
 *
 * @throws CrawlhouseError `bad_settings` for a missing table; `unreconciled` for objects that differ
 */
export async function mirror(
  settings: MirrorSettings & PublishedPlace,
  signal: AbortSignal,
): Promise<Finding> {
  if (settings.mirror === undefined) return { message: 'not set' };
  const { tables, store: kind, prefix } = settings.mirror;
  const found = await readPublished(settings, (connection) => tableColumns(connection, ['raw', 'mart']));
  const to = `${tables.length} to ${kind}`;
  if (found === undefined) return { message: `${to}; nothing published yet` };
  const missing = tables.find((table) => !found.has(table));
  if (missing !== undefined) throw notMirrored(missing, [...found.keys()]);
  await using store = await openConfiguredStore(settings, kind);
  const mirrored = await examineMirror({ store, prefix }, signal);
  if (mirrored === null) return { message: `${to}; nothing copied yet` };
  const { objects, rows, differences } = mirrored;
  const [first] = differences;
  if (first === undefined)
    return { message: `${to}: ${counted(objects, 'object')} with ${counted(rows, 'row')}` };
  throw new CrawlhouseError(
    'unreconciled',
    `${differences.length} of ${counted(objects, 'object')} differ: ${first.object} is ${first.problem}`,
    { hint: 'crawlhouse mirror --verify lists the objects; crawlhouse mirror replaces them' },
  );
}
