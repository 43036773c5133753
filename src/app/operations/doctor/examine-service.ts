import { request } from 'undici';
import type { ServiceClient } from '../../../client/http/service-client.ts';
import { orAllForbidden } from '../../../client/http/service-error.ts';
import type { Project } from '../../../client/resources/projects.ts';
import type { Workspace } from '../../../client/resources/workspaces.ts';
import { type Check, type Finding, look, skipped } from '../../../core/duckdb/check.ts';
import { eachApart } from '../../../core/errors/each-apart.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { configuredStores, type StoreSettings } from '../../../core/stores/registry.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { type ClientSettings, connect } from '../../../etl/pipeline/discover/connect.ts';
import { withoutWorkspace } from '../../../etl/pipeline/discover/discover.ts';
import { isCrawlFolder, serviceSettings } from '../../../etl/project/settings/settings.ts';

/** Allowed clock difference in seconds; signatures of stores are valid for 15 minutes, windows end at midnight. */
const SKEW = 60;

/** The names of the checks for every project, in order. */
export const OF_SERVICE = ['service', 'token', 'workspaces', 'projects'] as const;

/** Why the service is not checked for a folder that only crawls websites. */
export const NO_ACCOUNT = 'no account is set';

interface ReachSettings extends ClientSettings, StoreSettings {
  readonly workspaces: 'all' | readonly string[];
  readonly projects: 'all' | readonly string[];
}

/**
 * Checks the service: its clock, the rights of the token, the workspaces and projects in the settings, the stores'
 * secret.
 */
export async function examineService(
  settings: ReachSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<Check[]> {
  const secret = settings.store_b?.credentials_secret;
  const names = [...OF_SERVICE, ...(secret === undefined ? [] : ['secret'])];
  if (isCrawlFolder(settings)) {
    const none = { message: 'no account; crawlhouse crawl URL crawls websites in this folder' };
    return [await look('service', signal, () => none), ...skipped(names.slice(1), NO_ACCOUNT)];
  }
  const reach = await look('service', signal, () => reachService(serviceSettings(settings).baseUrl, signal));
  if (reach.status === 'fail') return [reach, ...skipped(names.slice(1), 'service fails')];
  await using client = connect(settings, logger);
  let workspaces: readonly Workspace[] = [];
  const seen = await look('token', signal, async () => {
    workspaces = await seenBy(client, signal);
    return { message: `account:read: access to ${namesOf(workspaces)}` };
  });
  if (seen.status === 'fail') return [reach, seen, ...skipped(names.slice(2), 'token fails')];
  const checks = [reach, seen, await look('workspaces', signal, () => selected(settings, workspaces))];
  checks.push(await look('projects', signal, () => projects(settings, client, workspaces, signal)));
  if (secret !== undefined)
    checks.push(await look('secret', signal, () => hasSecret(client, workspaces, secret, signal)));
  return checks;
}

/**
 * Returns the workspaces that a token can access.
 *
 * @throws CrawlhouseError of kind access if the service refuses the token
 */
export async function seenBy(client: ServiceClient, signal: AbortSignal): Promise<readonly Workspace[]> {
  return (await client.all('workspaces', {}, signal).catch(orAllForbidden)).items;
}

/**
 * Checks that the service responds at an address, even if it rejects the token.
 *
 * @throws CrawlhouseError if nothing responds, or another service
 */
export async function reachService(baseUrl: string, signal: AbortSignal): Promise<Finding> {
  const before = Date.now();
  const answer = await request(`${baseUrl}/api/v2/workspaces`, { signal, headersTimeout: 30_000 }).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      throw new CrawlhouseError('connection', `${baseUrl} cannot be reached: ${(cause as Error).message}`, {
        cause,
        hint: 'check base_url (CRAWLHOUSE_BASE_URL, usually in .env), the network and its proxies',
      });
    },
  );
  await answer.body.dump();
  if (answer.statusCode >= 500)
    throw new CrawlhouseError('service_unavailable', `${baseUrl} answered ${answer.statusCode}`, {
      hint: 'the service is down; try again later',
    });
  if (answer.statusCode === 404)
    throw new CrawlhouseError('bad_settings', `${baseUrl} has no /api/v2/workspaces: it is not the service`, {
      hint: 'check base_url (CRAWLHOUSE_BASE_URL, usually in .env): it must not contain /api/v2',
    });
  const theirs = Date.parse(String(answer.headers.date));
  const skew = Math.round(((before + Date.now()) / 2 - theirs) / 1000);
  const message = `${baseUrl} answers${Number.isNaN(skew) ? '' : `, clocks differ by ${Math.abs(skew)} s`}`;
  if (!(Math.abs(skew) > SKEW)) return { message };
  return {
    message,
    hint: `the clock of this machine is ${skew > 0 ? 'ahead' : 'behind'}: synchronize it with NTP`,
  };
}

function selected(settings: ReachSettings, seen: readonly Workspace[]): Finding {
  const { workspaces: wanted } = settings;
  const missing = wanted === 'all' ? undefined : wanted.find((id) => seen.every((one) => one.id !== id));
  if (missing !== undefined)
    throw new CrawlhouseError('bad_settings', `the token has no access to a workspace ${missing}`, {
      hint: `workspaces: ${namesOf(seen)}`,
    });
  const read = seen.filter(({ id }) => wanted === 'all' || wanted.includes(id));
  const message = `${read.length} of ${seen.length} are read`;
  const asleep = read.filter((one) => one.subscription_status === 'inactive');
  if (asleep.length > 0)
    return { message, hint: `the subscription of ${namesOf(asleep)} is not active: nothing can be exported` };
  const exports = configuredStores(settings).length > 0;
  const without = read.filter((one) => one.subscription_features?.includes('data_export') === false);
  if (exports && without.length > 0)
    return { message, hint: `${namesOf(without)} has no data exports: its units are streamed` };
  return { message };
}

async function projects(
  { workspaces: wanted, projects: named }: ReachSettings,
  client: ServiceClient,
  workspaces: readonly Workspace[],
  signal: AbortSignal,
): Promise<Finding> {
  const found: Project[] = [];
  const selected = workspaces.filter(({ id }) => wanted === 'all' || wanted.includes(id));
  for (const workspace of selected) found.push(...(await projectsOf(client, workspace, selected, signal)));
  const has = (one: Project, name: string): boolean => one.id === name || one.name === name;
  const missing = named === 'all' ? undefined : named.find((name) => !found.some((one) => has(one, name)));
  if (missing !== undefined)
    throw new CrawlhouseError('bad_settings', `there is no project ${missing}`, {
      hint: `${didYouMean(
        missing,
        found.map((one) => one.name),
      )}projects: ${namesOf(found)}`,
    });
  const read = found.filter((one) => named === 'all' || named.some((name) => has(one, name)));
  const message = `projects:read: ${read.length} of ${found.length} are read`;
  return read.length > 0 ? { message } : { message, hint: 'the workspaces contain no projects yet' };
}

async function projectsOf(
  client: ServiceClient,
  workspace: Workspace,
  selected: readonly Workspace[],
  signal: AbortSignal,
): Promise<readonly Project[]> {
  try {
    return (await client.all('projects', { workspace_id: workspace.id }, signal)).items;
  } catch (error) {
    throw error instanceof CrawlhouseError ? withoutWorkspace(error, workspace, selected) : error;
  }
}

/** Returns the name of the secret with which the service writes to store_b; its value is never returned. */
async function hasSecret(
  client: ServiceClient,
  workspaces: readonly Workspace[],
  name: string,
  signal: AbortSignal,
): Promise<Finding> {
  let isThere = false;
  let unread: CrawlhouseError | undefined;
  await eachApart(
    workspaces,
    async ({ id }) => {
      const secrets = await client.all('secrets', { workspace_id: id }, signal);
      isThere ||= secrets.items.some((item) => item.name === name);
    },
    (error) => {
      unread ??= error;
    },
    signal,
  );
  if (isThere) return { message: `${name} exists, so the service can write to store_b` };
  throw (
    unread ??
    new CrawlhouseError('bad_settings', `no workspace has a secret ${name}`, {
      hint: 'in the workspace, create the secret that store_b.credentials_secret names, or correct the name',
    })
  );
}

function namesOf(some: readonly { readonly id: string; readonly name: string }[]): string {
  return some.map(({ id, name }) => `${name} (${id})`).join(', ') || 'none';
}
