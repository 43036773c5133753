import { Database } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { acquireLock } from '../../../core/locks/acquire-lock.ts';
import { WorkingCopy } from '../../../etl/engines/working-copy.ts';
import {
  compareMirror,
  type MirrorComparison,
  type MirrorReport,
  mirror,
  withMirror,
} from '../../../etl/pipeline/publish/mirror.ts';
import { runSession, type SessionOptions } from '../../../etl/pipeline/session.ts';

/**
 * Mirrors the published warehouse immediately.
 *
 * @throws CrawlhouseError as `mirror`; `usage` without the setting, or before the first publication
 */
export async function mirrorNow(options: SessionOptions): Promise<MirrorReport> {
  const { settings, full = false } = options;
  checkSetting(settings);
  let report: MirrorReport | undefined;
  // Its models are not built again, only its objects.
  const { errors } = await runSession({ ...options, full: false }, async ({ working, signal }) => {
    const publication = await publicationOf(working);
    report = await withMirror(settings, working, publication, (place) =>
      mirror(working.mirror, { ...place, full }, signal),
    );
    return { units: [], errors: [] };
  });
  if (errors[0] !== undefined) throw errors[0];
  if (report === undefined) throw new Error('the mirror has no report');
  return report;
}

/** Compares the mirror with the published warehouse without changing anything. */
export async function verifyMirror(options: SessionOptions): Promise<MirrorComparison> {
  const { settings, full = false, logger, signal } = options;
  checkSetting(settings);
  using _lock = await acquireLock(settings.state_dir, options.command, logger, signal);
  await using database = await Database.openIn(settings);
  const { state_dir: stateDir, warehouse, engine } = settings;
  await using working = await WorkingCopy.open(database, { stateDir, warehouse, engine }, logger);
  const publication = await publicationOf(working);
  return await withMirror(settings, working, publication, (place) =>
    compareMirror(working, { ...place, full }, signal),
  );
}

function checkSetting({ mirror: set }: SessionOptions['settings']): void {
  if (set) return;
  throw new CrawlhouseError('usage', 'crawlhouse.yaml has nothing under mirror', {
    hint: 'set a store and tables, such as mirror: {store: store_b, tables: [mart.pages]} (docs/query.md)',
  });
}

async function publicationOf(working: WorkingCopy): Promise<string> {
  const { id, dirty } = await working.publication();
  if (id !== null && !dirty) return id;
  const message = id === null ? 'nothing is published yet' : 'there are unpublished changes';
  throw new CrawlhouseError('usage', message, { hint: 'crawlhouse run publishes and mirrors the changes' });
}
