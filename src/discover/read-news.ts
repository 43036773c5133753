import type { ServiceClient } from '../api/client.ts';
import type { Oql } from '../api/oql.ts';
import { listUntil } from '../api/read-list.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { KnownItem, KnownList, Listed } from '../model/listed.ts';
import type { Pipeline } from '../model/pipeline.ts';
import { type ListKind, listed } from './list-kinds.ts';

/** Ids asked after in one request. */
const IDS_AT_ONCE = 50;

/** One list of one workspace, as a run finds it. */
export interface ListReading<T = unknown> {
  /** The service's own total. */
  readonly total: number;
  /** Everything that the list holds: what came in this run, and what was known before. */
  readonly items: readonly Listed[];
  /** The records that came in this run. */
  readonly records: ReadonlyMap<string, T>;
  /** Those of them that are new or not as they were, or that `raw` lacks and a pipeline loads. */
  readonly changed: readonly Listed[];
  /** Ids that were known and are listed no more. */
  readonly gone: readonly string[];
  /** The list was read to its end: `records` are all of its items. */
  readonly isSwept: boolean;
}

export interface ReadingOptions {
  /** Read the list to its end, whatever is known. */
  readonly sweep: boolean;
  /** The pipeline that loads the list itself, if one does. */
  readonly pipeline: Pipeline | undefined;
}

/**
 * Reads what is new in a list: from the newest on until a whole page is known, and by its id each record that is not
 * settled. The service's total then says whether that was everything: where it differs from what is known, and where
 * `sweep` asks for it, the list is read to its end.
 */
export async function readNews<T extends { readonly id: string }>(
  client: ServiceClient,
  kind: ListKind<T>,
  workspaceId: string,
  known: KnownList,
  { sweep, pipeline }: ReadingOptions,
  signal: AbortSignal,
): Promise<ListReading<T>> {
  const standing = [...known.items.values()].filter((item) => !item.gone);
  const ids = new Set(standing.map((item) => item.id));
  const isKnown = (page: readonly T[]): boolean => !sweep && page.every((item) => ids.has(item.id));
  const read = (until: (page: readonly T[]) => boolean) =>
    listUntil(kind.name, () => kind.pages(client, workspaceId, {}, signal), until);

  const newest = await read(isKnown);
  const records = new Map(newest.items.map((item) => [item.id, item]));
  if (records.size === newest.total) return reading(kind, known, records, [], newest.total, true, pipeline);

  const asked = standing.filter(
    (item) => !records.has(item.id) && (!kind.isSettled(item) || (pipeline && item.pending)),
  );
  const gone = await readByIds(client, kind, workspaceId, asked, records, signal);
  const found = reading(kind, known, records, gone, newest.total, false, pipeline);
  if (found.items.length === newest.total) return found;

  const whole = await read(() => false);
  const all = new Map(whole.items.map((item) => [item.id, item]));
  return reading(kind, known, all, [], whole.total, true, pipeline);
}

/** Adds the records of these ids to `records`; the ids of those that are no more. */
export async function readByIds<T extends { readonly id: string }>(
  client: ServiceClient,
  kind: ListKind<T>,
  workspaceId: string,
  asked: readonly { readonly id: string }[],
  records: Map<string, T>,
  signal: AbortSignal,
): Promise<string[]> {
  const gone: string[] = [];
  for (let start = 0; start < asked.length; start += IDS_AT_ONCE) {
    const ids = asked.slice(start, start + IDS_AT_ONCE).map((item) => item.id);
    const query = { filters: anyOf(ids), limit: IDS_AT_ONCE };
    for await (const page of kind.pages(client, workspaceId, query, signal))
      for (const item of page.items) records.set(item.id, item);
    // Its own address has the last word on what the list does not show.
    for (const id of ids.filter((one) => !records.has(one))) {
      const record = await kind.one(client, workspaceId, id, signal).catch(undefinedIfGone);
      if (record) records.set(id, record);
      else gone.push(id);
    }
  }
  return gone;
}

/** Holds what came against what was known. */
export function reading<T extends { readonly id: string }>(
  kind: ListKind<T>,
  known: KnownList,
  records: ReadonlyMap<string, T>,
  gone: readonly string[],
  total: number,
  isSwept: boolean,
  pipeline: Pipeline | undefined,
): ListReading<T> {
  const now = new Map([...records.values()].map((record) => [record.id, listed(kind, record, pipeline)]));
  const isGone = (item: KnownItem): boolean =>
    !now.has(item.id) && (isSwept || item.gone || gone.includes(item.id));
  const left = [...known.items.values()].filter((item) => !now.has(item.id) && !isGone(item));
  const changed = [...now.values()].filter((item) => {
    const before = known.items.get(item.id);
    return !before || before.gone || (pipeline && before.pending) || differs(item, before);
  });
  return {
    total,
    items: [...now.values(), ...left],
    records,
    changed,
    gone: [...known.items.values()].filter(isGone).map((item) => item.id),
    isSwept,
  };
}

function differs(item: Listed, before: Listed): boolean {
  return (Object.keys(item) as (keyof Listed)[]).some(
    // Without a pipeline that loads the list, what is known of the content stays.
    (key) => item[key] !== before[key] && (key !== 'content' || item.content !== null),
  );
}

function anyOf(ids: readonly string[]): Oql {
  const leaves: Oql[] = ids.map((id) => ({ field: ['id', 'equals', id] }));
  return leaves.length === 1 ? (leaves[0] as Oql) : { or: leaves };
}

function undefinedIfGone(error: unknown): undefined {
  if (error instanceof CrawlhouseError && error.code === 'not_found') return undefined;
  throw error;
}
