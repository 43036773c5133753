import { CrawlhouseError } from '../../core/errors/errors.ts';
import { stringifyJson } from '../../core/text/json.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import { isFew, USUAL_OF, usualRows, type Volume } from '../../project/model/route-pace.ts';
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
 * @param earlier of the same dataset, that come before it in the same transaction
 * @throws CrawlhouseError `volume_held` if they are far fewer, the setting holds such crawls, and nobody named the
 * crawl
 */
export async function checkVolume(
  { settings, working, named }: VolumeContext,
  { name, unit, counts, source }: Manifest,
  earlier: readonly Manifest[],
): Promise<Volume> {
  const { kind, id } = unit.source;
  if (kind !== 'crawl' && kind !== 'crawl_over_crawl') return { usual: null, isFew: false };
  const { min_ratio, hold } = settings.volume_check;
  const filter = filterOf({ source });
  const together = earlier.filter(
    (one) => one.unit.source.project_id === unit.source.project_id && filterOf(one) === filter,
  );
  const before = [
    ...together.map((one) => one.counts.staged).reverse(),
    ...(await rowsBefore(working.connection, unit, filter, [name, ...together.map((one) => one.name)])),
  ];
  const usual = usualRows(before.slice(0, USUAL_OF));
  const volume = { usual, isFew: isFew(counts.staged, usual, min_ratio) };
  // A comparison can't be named, so nobody could accept it.
  if (!volume.isFew || !hold || named || kind !== 'crawl') return volume;
  throw new CrawlhouseError('volume_held', `${name}: ${counts.staged} rows, usually ${usual}`, {
    hint: `check the crawl; crawlhouse run --crawl ${id} accepts and loads it`,
  });
}

function filterOf({ source: { filter } }: Pick<Manifest, 'source'>): string | null {
  return filter === null ? null : stringifyJson(filter);
}
