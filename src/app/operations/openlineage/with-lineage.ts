import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { redactTexts } from '../../../core/secrets/redact.ts';
import { engineKind } from '../../../etl/engines/registry.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import type { LineageSettings } from '../../../etl/project/settings/settings-file.ts';
import { type DictionarySettings, readDictionary } from '../../answers/dictionary/read-dictionary.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import { sendWebhook } from '../alert/send-webhook.ts';
import { endEvents, failEvent, type LineageRun, type RunEvent, startEvent } from './run-events.ts';

const TIMEOUT_MS = 10_000;

/** The time for the last events after an interruption. */
const LAST_MS = 5_000;

interface TracedSettings extends DictionarySettings {
  readonly base_url?: string | undefined;
  readonly openlineage?: LineageSettings | undefined;
}

/**
 * Calls `run`, and sends its events (inputs, outputs, result) to the receivers in the `openlineage` setting. Returns or
 * throws like `run`: a failed delivery never fails the run.
 */
export async function withLineage(
  settings: TracedSettings,
  job: string,
  logger: Logger,
  signal: AbortSignal,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  const { openlineage } = settings;
  if (openlineage?.url === undefined && openlineage?.file === undefined) return run();
  const { namespace, prefix } = engineKind(settings.engine).describe(settings);
  const { dataset_namespace, database } = openlineage;
  const context: LineageRun = {
    runId: randomUUID(),
    job,
    namespace: openlineage.namespace,
    producer: `urn:crawlhouse:${await packageVersion()}`,
    service: settings.base_url === undefined ? 'crawlhouse' : new URL(settings.base_url).origin,
    warehouse: dataset_namespace ?? namespace,
    prefix: database === undefined ? prefix : `${database}.${prefix.slice(prefix.indexOf('.') + 1)}`,
    startedAt: new Date().toISOString(),
  };
  const deliver = async (tell: () => Promise<() => Iterable<RunEvent>>): Promise<void> => {
    const within = signal.aborted ? AbortSignal.timeout(LAST_MS) : signal;
    try {
      await deliverEvents(await tell(), openlineage, settings, within);
    } catch (thrown) {
      logger.error('lineage not delivered', { error: toCrawlhouseError(thrown).message });
    }
  };
  await deliver(async () => () => [startEvent(context)]);
  try {
    const result = await run();
    await deliver(async () => {
      const published = existsSync(settings.warehouse);
      const dictionary = await readDictionary(settings, await loadPipelines(settings.projectDir), {
        published,
      });
      return () => endEvents(context, result, dictionary, signal.aborted);
    });
    return result;
  } catch (thrown) {
    const { message } = toCrawlhouseError(thrown);
    const eventType = signal.aborted ? 'ABORT' : 'FAIL';
    await deliver(async () => () => [failEvent(context, eventType, message, new Date().toISOString())]);
    throw thrown;
  }
}

/**
 * Appends events as JSON lines to the configured file, then posts them to the configured address in the same order.
 *
 * @throws CrawlhouseError of the first event that was not accepted; the rest is not posted
 */
async function deliverEvents(
  events: () => Iterable<RunEvent>,
  { url, api_key, file }: LineageSettings,
  settings: TracedSettings,
  signal: AbortSignal,
): Promise<void> {
  if (file !== undefined) {
    const path = resolve(settings.projectDir, file);
    await checkOutput(path, { ...filesOfProject(settings), named: 'openlineage.file', isAppended: true });
    await using lines = await open(path, 'a');
    for (const event of events()) await lines.appendFile(`${textOf(event)}\n`);
  }
  if (url === undefined) return;
  const headers = api_key === undefined ? {} : { authorization: `Bearer ${api_key}` };
  for (const event of events())
    await sendWebhook(url, textOf(event), { timeoutMs: TIMEOUT_MS, headers }, signal);
}

function textOf(event: RunEvent): string {
  return JSON.stringify(redactTexts(event));
}
