import { join } from 'node:path';
import { isMap, isNode } from 'yaml';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { Semaphore } from '../../../../core/queue/semaphore.ts';
import { documentToChange } from '../../../../core/text/parse-yaml.ts';
import { AlertSettings } from '../alert-settings.ts';
import { textIfAny, writeDotEnv } from './dot-env.ts';

const VARIABLE = 'CRAWLHOUSE_ALERTS_WEBHOOK';

const Written = AlertSettings.pick({ webhook: true, format: true, timeout: true });
const DEFAULTS = Written.parse({});

export interface WebhookChange {
  /** Null removes it; undefined keeps the present one. */
  readonly webhook: string | null | undefined;
  readonly format: string;
  /** Seconds. */
  readonly timeout: number;
}

/** Serializes changes. Otherwise, the later of two concurrent changes would undo the other. */
const writing = new Semaphore(1);

/**
 * Writes the webhook of alerts: its address into `.env`, because it is often a secret, and the other keys into
 * `crawlhouse.yaml`, whose comments and other keys stay.
 *
 * @returns the keys of `alerts` that changed
 * @throws CrawlhouseError `usage` for invalid values, and where the environment sets the address
 */
export async function writeWebhook(
  projectDir: string,
  { webhook, ...others }: WebhookChange,
): Promise<Partial<AlertSettings>> {
  const { success, data, error } = Written.safeParse({ webhook: webhook ?? undefined, ...others });
  if (!success) {
    const [issue] = error.issues;
    throw new CrawlhouseError('usage', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (process.env[VARIABLE])
    throw new CrawlhouseError('usage', `the environment of this process sets ${VARIABLE}`, {
      hint: 'change the variable, then restart the console',
    });
  await writing.run(async () => {
    const path = join(projectDir, 'crawlhouse.yaml');
    const document = documentToChange(await textIfAny(path));
    const known = document.get('alerts');
    if (isNode(known) && !isMap(known)) document.delete('alerts');
    for (const key of ['format', 'timeout'] as const)
      if (document.hasIn(['alerts', key]) || data[key] !== DEFAULTS[key])
        if (document.getIn(['alerts', key]) !== data[key]) document.setIn(['alerts', key], data[key]);
    // A variable replaces the address in the file.
    const isWritten = document.hasIn(['alerts', 'webhook']);
    if (webhook !== undefined && isWritten) document.deleteIn(['alerts', 'webhook']);
    const rest = document.get('alerts');
    if (isMap(rest) && rest.items.length === 0) document.delete('alerts');
    if (webhook !== undefined) await writeDotEnv(projectDir, VARIABLE, webhook);
    await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
  });
  const { format, timeout } = data;
  return { format, timeout, ...(webhook !== undefined && { webhook: webhook ?? undefined }) };
}
