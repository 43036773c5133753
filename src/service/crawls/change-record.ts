import { notFound } from '../resources/refusal.ts';
import {
  OWN_SETTINGS,
  type ResourceKind,
  type Resources,
  type StoredResource,
} from '../resources/resources.ts';
import type { CrawlClock } from './crawl-clock.ts';
import { followCrawl } from './crawl-source.ts';

/**
 * Changes any field of a record and everything that depends on the field. Creates a token if it does not exist, which
 * is how tests make tokens with fewer scopes.
 *
 * @throws Refusal if the record does not exist
 */
export function changeRecord(
  { resources, crawlClock }: { readonly resources: Resources; readonly crawlClock: CrawlClock },
  kind: ResourceKind,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<StoredResource> {
  return crawlClock.alone(async (now, crawlContext) => {
    const known = resources.get(kind, id);
    if (known === undefined && kind !== 'tokens') throw notFound(`the ${kind} ${id}`);
    const doc = { ...known, ...storedChanges(kind, changes, now), id };
    resources.put(kind, '', doc);
    if (kind === 'crawls') await followCrawl(crawlContext, doc);
    return doc;
  });
}

/** Returns the stored changes, with internal settings under names that are not served. */
function storedChanges(
  kind: ResourceKind,
  changes: Readonly<Record<string, unknown>>,
  now: number,
): Record<string, unknown> {
  const own = OWN_SETTINGS[kind] ?? [];
  const kept = Object.entries(changes).map(([name, value]) => [
    own.includes(name) ? `_${name}` : name,
    value,
  ]);
  return {
    ...Object.fromEntries(kept),
    // Crawls that ended long ago are archived from now on, not back in time.
    ...('archive_after_days' in changes ? { _archive_since: now } : {}),
    // A state that was set by hand stays.
    ...('status' in changes
      ? { _work: undefined, _crawler: undefined, _turn: undefined, _end: undefined }
      : {}),
  };
}
