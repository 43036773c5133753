import { withAlerts } from '../../src/app/operations/alert/with-alerts.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { type RunRequest, run } from '../../src/etl/pipeline/run.ts';
import type { AlertSettings } from '../../src/etl/project/settings/alert-settings.ts';
import { loadPipelines } from '../../src/etl/project/settings/pipelines.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';

const PIPELINES = ['workspaces', 'projects', 'crawls', 'crawl_pages'];

/** A run in this process that is watched, at whatever time. */
export async function watchedRun(
  folder: string,
  sandbox: Sandbox,
  options: {
    readonly webhook?: string;
    readonly now?: number;
    readonly isLast?: boolean;
    readonly crawls?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
) {
  const settings = await loadSettings(folder, {
    CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
    ...options.environment,
  });
  const alerts: AlertSettings =
    options.webhook === undefined ? settings.alerts : { ...settings.alerts, webhook: options.webhook };
  const pipelines = (await loadPipelines(folder)).filter(({ dataset }) => PIPELINES.includes(dataset));
  const request = {
    command: 'run',
    pipelines,
    selection: { projects: 'all', crawls: options.crawls ?? null, from: Number.NEGATIVE_INFINITY },
    reload: false,
  } satisfies RunRequest;
  const { signal } = new AbortController();
  return withAlerts(
    settings,
    { scope: 'morning', alerts, isLast: options.isLast ?? true, now: () => options.now ?? Date.now() },
    { plan: () => request, run: () => run(settings, request, silentLogger, signal) },
    silentLogger,
    signal,
  );
}

/** Makes a folder a crawl of a sandbox. */
export async function importCrawl(sandbox: Sandbox, dir: string): Promise<void> {
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dir }),
  });
  if (!response.ok) throw new Error(await response.text());
}
