import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { redactTexts } from '../../core/secrets/redact.ts';
import type { LineageSettings } from '../../project/settings/lineage-settings.ts';
import { sendWebhook } from '../alert/send-webhook.ts';
import type { RunEvent } from './run-event.ts';

const TIMEOUT_MS = 10_000;

/**
 * Appends events to the file of the settings, as JSON lines, then posts them to the address, in their order.
 *
 * @throws CrawlhouseError of the first event that was not taken; the rest is not posted
 */
export async function deliverEvents(
  events: () => Iterable<RunEvent>,
  { url, api_key, file }: LineageSettings,
  projectDir: string,
  signal: AbortSignal,
): Promise<void> {
  if (file !== undefined) {
    await using lines = await open(resolve(projectDir, file), 'a');
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
