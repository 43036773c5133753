import { CrawlhouseError } from '../../core/errors/errors.ts';
import { stringifyJson } from '../../core/text/json.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import { isFew, usualRows, type Volume } from '../../project/model/route-pace.ts';
import { rowsBefore } from '../../state/catalogue/ops/ops-loads.ts';

/** When a crawl has few rows, and what then. */
export interface VolumeSettings {
  readonly volume_check: { readonly min_ratio: number; readonly hold: boolean };
}

interface VolumeContext {
  readonly settings: VolumeSettings;
  readonly working: WorkingCopy;
  /** A person named the crawl, so an anomaly is accepted. */
  readonly named: boolean;
}

/**
 * Compares the rows of a crawl or comparison with those of its predecessors.
 *
 * @throws CrawlhouseError `volume_held` if they are far fewer, the setting holds such crawls, and nobody named the
 * crawl
 */
export async function checkVolume(
  { settings, working, named }: VolumeContext,
  { name, unit, counts, source }: Manifest,
): Promise<Volume> {
  const { kind, id } = unit.source;
  if (kind !== 'crawl' && kind !== 'crawl_over_crawl') return { usual: null, isFew: false };
  const { min_ratio, hold } = settings.volume_check;
  const filter = source.filter === null ? null : stringifyJson(source.filter);
  const usual = usualRows(await rowsBefore(working.connection, unit, filter));
  const volume = { usual, isFew: isFew(counts.staged, usual, min_ratio) };
  // A comparison can't be named, so nobody could accept it.
  if (!volume.isFew || !hold || named || kind !== 'crawl') return volume;
  throw new CrawlhouseError('volume_held', `${name}: ${counts.staged} rows, usually ${usual}`, {
    hint: `check the crawl; crawlhouse run --crawl ${id} accepts and loads it`,
  });
}
