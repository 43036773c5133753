import { type BrokenItem, listUntil } from '../../../client/http/read-list.ts';
import type { ServiceClient } from '../../../client/http/service-client.ts';
import type { Oql } from '../../../client/oql/oql.ts';
import { eachApart } from '../../../core/errors/each-apart.ts';
import type { KnownItem, KnownList, Listed, ListReading } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import { type ListKind, listed } from './list-kinds.ts';

/** Ids in one request. */
const IDS_AT_ONCE = 50;

export interface ListOf<T extends { readonly id: string }> {
  readonly client: ServiceClient;
  readonly kind: ListKind<T>;
  readonly workspaceId: string;
}

export interface ReadingOptions {
  /** Whether to resync the list fully. */
  readonly sweep: boolean;
  /** The pipeline that loads the list itself, if any. */
  readonly pipeline: Pipeline | undefined;
}

/**
 * Reads the new records of a list, from the newest until a whole page is known, and reads each record that is not final
 * by its id. Resyncs the list fully if the service's total then differs from the number of known records, or if `sweep`
 * is set.
 */
export async function listIncrementally<T extends { readonly id: string }>(
  list: ListOf<T>,
  former: KnownList,
  { sweep, pipeline }: ReadingOptions,
  signal: AbortSignal,
): Promise<ListReading<T>> {
  const { client, kind, workspaceId } = list;
  const present = [...former.items.values()].filter((item) => !item.gone);
  const ids = new Set(present.map((item) => item.id));
  const isKnown = (page: readonly T[]): boolean =>
    !sweep && page.length > 0 && page.every((item) => ids.has(item.id));
  const read = (until: (page: readonly T[]) => boolean) =>
    listUntil(listName(kind, workspaceId), () => kind.pages(client, workspaceId, {}, signal), until);

  const newest = await read(isKnown);
  const records = new Map(newest.items.map((item) => [item.id, item]));
  const found: ListedRecords<T> = { records, gone: [], broken: [...newest.broken], total: newest.total };
  if (records.size + found.broken.length === newest.total)
    return reading(kind, former, { ...found, isSwept: true }, pipeline);

  const isBroken = (id: string): boolean => found.broken.some((item) => item.id === id);
  const asked = present.filter(
    (item) =>
      !records.has(item.id) && !isBroken(item.id) && (!kind.isFinal(item) || (pipeline && item.pending)),
  );
  await readByIds(list, asked, found, signal);
  const incremental = reading(kind, former, { ...found, isSwept: false }, pipeline);
  const unknown = found.broken.filter(({ id }) => !incremental.items.some((item) => item.id === id));
  if (incremental.items.length + unknown.length === newest.total) return incremental;

  const whole = await read(() => false);
  const all = new Map(whole.items.map((item) => [item.id, item]));
  const { total } = whole;
  const broken = [...whole.broken];
  return reading(kind, former, { records: all, gone: [], broken, total, isSwept: true }, pipeline);
}

function listName({ name }: { readonly name: string }, workspaceId: string): string {
  return `the list of ${name} of workspace ${workspaceId}`;
}

export interface ListedRecords<T> {
  readonly records: Map<string, T>;
  readonly gone: string[];
  readonly broken: BrokenItem[];
  readonly total: number;
}

/** Adds the records with these ids to the result. Ids without a record are gone. */
export async function readByIds<T extends { readonly id: string }>(
  { client, kind, workspaceId }: ListOf<T>,
  asked: readonly { readonly id: string }[],
  { records, gone, broken }: Omit<ListedRecords<T>, 'total'>,
  signal: AbortSignal,
): Promise<void> {
  for (let start = 0; start < asked.length; start += IDS_AT_ONCE) {
    const ids = asked.slice(start, start + IDS_AT_ONCE).map((item) => item.id);
    const query = { filters: anyOf(ids), limit: IDS_AT_ONCE };
    const found = await listUntil(
      `${listName(kind, workspaceId)} by ids`,
      () => kind.pages(client, workspaceId, query, signal),
      () => false,
    );
    for (const item of found.items) records.set(item.id, item);
    broken.push(...found.broken);
    // A record that is missing in the list is requested by its own address.
    await eachApart(
      ids.filter((id) => !records.has(id) && !broken.some((item) => item.id === id)),
      async (id) => records.set(id, await kind.one(client, workspaceId, id, signal)),
      (error, id) => {
        if (error.code === 'not_found') gone.push(id);
        else if (error.code === 'contract_broken' || error.kind === 'forbidden')
          broken.push({ id, projectId: null, error });
        else throw error;
      },
      signal,
    );
  }
}

export function reading<T extends { readonly id: string }>(
  kind: ListKind<T>,
  former: KnownList,
  { records, gone, broken, total, isSwept }: ListedRecords<T> & { readonly isSwept: boolean },
  pipeline: Pipeline | undefined,
): ListReading<T> {
  const now = new Map([...records.values()].map((record) => [record.id, listed(kind, record, pipeline)]));
  const kept = new Set(broken.map(({ id }) => id));
  const isGone = (item: KnownItem): boolean =>
    !now.has(item.id) && !kept.has(item.id) && (isSwept || item.gone || gone.includes(item.id));
  const left = [...former.items.values()].filter((item) => !now.has(item.id) && !isGone(item));
  const changed = [...now.values()].filter((item) => {
    const before = former.items.get(item.id);
    return !before || before.gone || (pipeline && before.pending) || differs(item, before);
  });
  return {
    total,
    items: [...now.values(), ...left],
    records,
    changed,
    gone: [...former.items.values()].filter(isGone).map((item) => item.id),
    isSwept,
    broken,
  };
}

function differs(item: Listed, before: Listed): boolean {
  return (Object.keys(item) as (keyof Listed)[]).some(
    // Without a pipeline that loads the list, the known content stays.
    (key) => item[key] !== before[key] && (key !== 'content' || item.content !== null),
  );
}

function anyOf(ids: readonly string[]): Oql {
  const leaves: Oql[] = ids.map((id) => ({ field: ['id', 'equals', id] }));
  return leaves.length === 1 ? (leaves[0] as Oql) : { or: leaves };
}
