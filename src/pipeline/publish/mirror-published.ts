import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { openConfiguredStore } from '../../stores/registry.ts';
import { mirror } from './mirror.ts';

/**
 * Brings the tables under the setting `mirror` to their store, unless that was done for this publication already.
 *
 * @throws CrawlhouseError `bad_settings` for a table that is not there; what the store throws. The publication stands all the same.
 */
export async function mirrorPublished(
  settings: Settings,
  working: WorkingCopy,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (!settings.mirror) return;
  const { id, dirty } = await working.publication();
  // Unpublished data, as after a failed test, is not mirrored.
  if (id === null || dirty) return;
  const note = join(settings.state_dir, 'mirror.json');
  const done = JSON.stringify({ publication: id, ...settings.mirror });
  if (existsSync(note) && (await readFile(note, 'utf8')) === done) return;
  const startedAt = performance.now();
  const { store: kind, prefix, tables } = settings.mirror;
  await using store = await openConfiguredStore(settings, kind);
  const folder = join(settings.state_dir, 'mirror');
  const columns = await tableColumns(working.connection, ['raw', 'mart']);
  const options = { store, prefix, tables, columns, publication: id, folder };
  const report = await mirror(working.mirror, options, signal);
  await writeFileAtomic(note, done);
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  logger.info('mirrored', { store: kind, prefix, ...report, seconds });
}
