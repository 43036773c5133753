import { type BrokenItem, listUntil } from '../../../client/http/read-list.ts';
import type { ServiceClient } from '../../../client/http/service-client.ts';
import { asAllForbidden } from '../../../client/http/service-error.ts';
import type { Workspace } from '../../../client/resources/workspaces.ts';
import { eachApart } from '../../../core/errors/each-apart.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { fieldsMatcher } from '../../project/model/included-keys.ts';
import type { Inventory, KnownList, ListReading, WorkspaceView } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { KnownLists } from '../../state/catalog/ops/ops-lists.ts';
import { discoverDates } from './discover-dates.ts';
import { listIncrementally } from './list-incrementally.ts';
import { CRAWL_OVER_CRAWLS, CRAWLS, DATA_EXPORTS, type ListKind } from './list-kinds.ts';
import { listPipeline } from './record-listing.ts';
import { listError } from './skippable-error.ts';
import { DAY } from './windows.ts';

export interface DiscoveryScope {
  /** Ids of workspaces, or `all`. */
  readonly workspaces: 'all' | readonly string[];
  /** Ids or names of projects, or `all`. Only their dated sources are read. */
  readonly projects: 'all' | readonly string[];
  readonly pipelines: readonly Pipeline[];
  readonly known: KnownLists;
  readonly loaded: { has(unit: string): boolean };
  /** Days between two full resyncs of a list. */
  readonly sweepDays: number;
  /** Whether to resync every list fully. */
  readonly sweep: boolean;
  /** UTC milliseconds. */
  readonly now: number;
}

/**
 * Reads the lists of every selected workspace. A workspace, list or project that cannot be read, is forbidden or breaks
 * its contract is reported and omitted. The others are still read.
 *
 * @throws CrawlhouseError `bad_settings` for a workspace that the token does not see; `all_forbidden` if the service
 *   forbids all of them; what `listError` throws
 */
export async function discover(
  client: ServiceClient,
  scope: DiscoveryScope,
  signal: AbortSignal,
): Promise<Inventory> {
  const selected = scope.workspaces;
  const listed = await listUntil(
    'GET /workspaces',
    () => client.pages('workspaces', {}, signal),
    () => false,
  ).catch((thrown) => {
    throw listError(asAllForbidden(thrown), signal);
  });
  const seen = listed.items;
  const ids = [...seen, ...listed.broken].map(({ id }) => id);
  const missing = selected === 'all' ? undefined : selected.find((id) => !ids.includes(id));
  if (missing !== undefined) {
    throw new CrawlhouseError(
      'bad_settings',
      `workspaces: the token has no access to a workspace ${missing}`,
      { hint: `its workspaces: ${seen.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none'}` },
    );
  }
  const isSelected = ({ id }: { readonly id: string }): boolean =>
    selected === 'all' || selected.includes(id);
  const unread = new Map(listed.broken.filter(isSelected).map(({ id, error }) => [id, error]));
  const workspaces: WorkspaceView[] = [];
  const chosen = seen.filter(isSelected);
  await eachApart(
    chosen,
    async (record) => workspaces.push(await viewWorkspace(client, record, scope, signal)),
    (error, record) => unread.set(record.id, withoutWorkspace(listError(error, signal), record, chosen)),
    signal,
  );
  const [refused] = unread.values();
  if (refused && workspaces.length === 0 && [...unread.values()].every(({ code }) => code === 'forbidden'))
    throw asAllForbidden(refused);
  const projects = workspaces
    .flatMap((workspace) => workspace.projects.items)
    .filter(
      ({ id, name }) =>
        scope.projects === 'all' || scope.projects.includes(id) || scope.projects.includes(name),
    );
  const failures = [...unread.values(), ...workspaces.flatMap(({ faulty }) => [...faulty.values()])];
  const dates = await discoverDates(client, projects, scope.pipelines, scope.now, signal);
  return { workspaces, dates, unread, failures };
}

/**
 * Adds a hint to the error of a forbidden workspace that explains how to exclude the workspace. Other workspaces are
 * unaffected.
 */
export function withoutWorkspace(
  error: CrawlhouseError,
  { id, name }: Workspace,
  selected: readonly Workspace[],
): CrawlhouseError {
  if (error.code !== 'forbidden' && error.code !== 'list_unread') return error;
  const others = selected.filter((other) => other.id !== id).map((other) => other.id);
  const leaveOut =
    others.length === 0 ? '' : `, or leave it out with the setting workspaces: [${others.join(', ')}]`;
  return new CrawlhouseError(error.code, `workspace ${name} (${id}): ${error.message}`, {
    hint: `check its subscription and the token's rights to it${leaveOut}`,
    cause: error,
  });
}

async function viewWorkspace(
  client: ServiceClient,
  record: Workspace,
  scope: DiscoveryScope,
  signal: AbortSignal,
): Promise<WorkspaceView> {
  const { id, name } = record;
  const faulty = new Map<string, CrawlhouseError>();
  const note = <R extends { readonly broken: readonly BrokenItem[] }>(list: string, reading: R): R => {
    const [first] = reading.broken;
    if (first) faulty.set(list, brokenList(first, reading.broken.length));
    return reading;
  };
  const read = async <T extends { readonly id: string }>(kind: ListKind<T>): Promise<ListReading<T>> => {
    const pipeline = listPipeline(scope.pipelines, kind.name);
    const former = scope.known.of(kind.name, id);
    const options = { sweep: needsSweep(former, pipeline, id, scope), pipeline };
    const list = { client, kind, workspaceId: id };
    return note(kind.name, await listIncrementally(list, former, options, signal));
  };
  const readIfAsked = async <T extends { readonly id: string }>(
    source: string,
    kind: ListKind<T>,
  ): Promise<ListReading<T> | null> => {
    const isAsked = scope.pipelines.some(
      (pipeline) => pipeline.source.kind === source || pipeline.source.data_type === kind.name,
    );
    if (!isAsked) return null;
    try {
      return await read(kind);
    } catch (thrown) {
      faulty.set(kind.name, listError(thrown, signal));
      return null;
    }
  };
  const projectPages = () => client.pages('projects', { workspace_id: id }, signal);
  return {
    id,
    name,
    record,
    projects: note('projects', await listUntil(`GET /workspaces/${id}/projects`, projectPages, () => false)),
    crawls: await read(CRAWLS),
    crawlOverCrawls: await readIfAsked('crawl_over_crawl', CRAWL_OVER_CRAWLS),
    dataExports: await readIfAsked('data_export', DATA_EXPORTS),
    faulty,
  };
}

function brokenList({ error }: BrokenItem, count: number): CrawlhouseError {
  const others = count === 1 ? '' : `; ${count - 1} more records are`;
  return new CrawlhouseError(error.code, error.message + others, { hint: error.hint, cause: error });
}

/**
 * Returns whether a list needs a full resync: the first time, every `sweepDays` days, if the clock is earlier than the
 * last resync, and if single records cannot update `raw`.
 *
 * @param pipeline the one that loads the list itself, if any
 */
export function needsSweep(
  { swept_at }: KnownList,
  pipeline: Pipeline | undefined,
  workspaceId: string,
  scope: Pick<DiscoveryScope, 'sweep' | 'sweepDays' | 'now' | 'loaded'>,
): boolean {
  if (scope.sweep || swept_at === null || swept_at > scope.now) return true;
  if (scope.now - swept_at >= scope.sweepDays * DAY) return true;
  if (pipeline === undefined) return false;
  const { dataset, fields } = pipeline;
  return !scope.loaded.has(`${dataset}/${workspaceId}`) || !fieldsMatcher(fields)('id');
}
