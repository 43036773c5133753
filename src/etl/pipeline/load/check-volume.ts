import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import { isFew, USUAL_OF, usualRows, type Volume } from '../../project/model/route-pace.ts';
import { rowsBefore } from '../../state/catalog/ops/ops-loads.ts';

/** Defines when a crawl has too few rows, and how such a crawl is handled. */
export interface VolumeSettings {
  readonly volume_check: { readonly min_ratio: number; readonly hold: boolean };
}

interface VolumeContext {
  readonly settings: VolumeSettings;
  readonly working: WorkingCopy;
  /** Whether a person named the crawl. If so, an anomaly is accepted. */
  readonly named: boolean;
}

/**
 * Compares the row count of a crawl or comparison with the row counts of its predecessors.
 *
 * @param earlier units of the same dataset that come first in the same transaction
 * @throws CrawlhouseError `volume_held` if the crawl has far fewer rows, the setting quarantines such crawls, and the
 *   user did not name the crawl
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
    (manifest) => manifest.unit.source.project_id === unit.source.project_id && filterOf(manifest) === filter,
  );
  const before = [
    ...together.map(({ counts }) => counts.staged).reverse(),
    ...(await rowsBefore(working.connection, unit, filter, [
      name,
      ...together.map((manifest) => manifest.name),
    ])),
  ];
  const usual = usualRows(before.slice(0, USUAL_OF));
  const volume = { usual, isFew: isFew(counts.staged, usual, min_ratio) };
  // A comparison cannot be named on the command line, so a user could not accept it.
  if (!volume.isFew || !hold || named || kind !== 'crawl') return volume;
  throw new CrawlhouseError('volume_held', `${name}: ${counts.staged} rows, usually ${usual}`, {
    hint: `check the crawl; crawlhouse run --crawl ${id} accepts and loads it`,
  });
}

function filterOf({ source: { filter } }: Pick<Manifest, 'source'>): string | null {
  return filter === null ? null : stringifyJson(filter);
}
