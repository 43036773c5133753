import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import {
  checkOutput,
  checkOutputFolder,
  type Protected,
} from '../../../answers/query/result/check-output.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { ReadyDocument } from '../../../service/local/sandbox/start-sandbox.ts';
import type { LocalServiceOptions } from '../../../service/local/start-local-service.ts';
import type { Flag, Invocation } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';

export const SERVICE_FLAGS = {
  port: { value: 'N', help: 'port on 127.0.0.1; 0 or none: a free one' },
  'allow-private': {
    help: 'crawls of websites and webhooks may reach private addresses, whatever the start URL',
  },
  'ready-file': { value: 'F', help: 'a file that gets one JSON document once the service answers' },
} as const satisfies Readonly<Record<string, Flag>>;

export function serviceOptions(invocation: Invocation): LocalServiceOptions {
  return {
    port: wholeNumber(invocation, 'port', 0, 65_535) ?? 0,
    allowPrivate: invocation.has('allow-private'),
    logger: invocation.logger,
    signal: invocation.signal,
  };
}

/** The path of `--ready-file`, in a folder that is there, and no file of a project. */
export async function readyFileOf(invocation: Invocation, own: Protected): Promise<string | undefined> {
  const given = invocation.text('ready-file');
  if (given === undefined) return undefined;
  const path = resolve(invocation.workingDirectory, given);
  const named = '--ready-file';
  await checkOutputFolder(dirname(path), { ...own, named });
  makeFolder(dirname(path), { from: named });
  return checkOutput(path, { ...own, named });
}

/** Says where the service answers, and lets it until the program is told to stop. */
export async function serveUntilStopped(
  invocation: Invocation,
  readyFile: string | undefined,
  ready: Pick<ReadyDocument, 'base_url' | 'access_token' | 'pid'>,
  more = '',
): Promise<number> {
  const document = `${stringifyJson(ready, 2)}\n`;
  if (readyFile !== undefined) await writeFileAtomic(readyFile, document);
  if (invocation.has('json')) await invocation.write(document);
  else {
    await invocation.write(`export CRAWLHOUSE_BASE_URL=${ready.base_url}\n`);
    await invocation.write(`export CRAWLHOUSE_ACCESS_TOKEN=${ready.access_token}\n${more}`);
  }
  invocation.say(`The ${more === '' ? 'local service' : 'sandbox'} answers; Ctrl-C ends it.\n`);
  if (!invocation.signal.aborted) await once(invocation.signal, 'abort');
  return 0;
}
