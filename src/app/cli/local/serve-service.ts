import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { ReadyDocument } from '../../../service/sandbox/start-sandbox.ts';
import type { LocalServiceOptions } from '../../../service/start-local-service.ts';
import {
  checkOutput,
  checkOutputFolder,
  type Protected,
} from '../../answers/query/result/check-output-file.ts';
import type { Flag, Invocation } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';

export const SERVICE_FLAGS = {
  port: { value: 'N', help: 'port on 127.0.0.1; 0 or no value selects a free port' },
  'allow-private': {
    help: 'let crawls and webhooks reach private addresses, even if the start URL is public',
  },
  'ready-file': { value: 'F', help: 'write one JSON document to this file once the service is ready' },
} as const satisfies Readonly<Record<string, Flag>>;

export function serviceOptions(invocation: Invocation): LocalServiceOptions {
  return {
    port: wholeNumber(invocation, 'port', 0, 65_535) ?? 0,
    allowPrivate: invocation.has('allow-private'),
    logger: invocation.logger,
    signal: invocation.signal,
  };
}

/** Returns the path of `--ready-file`: in an existing folder, and no file of a project. */
export async function readyFileOf(invocation: Invocation, own: Protected): Promise<string | undefined> {
  const given = invocation.text('ready-file');
  if (given === undefined) return undefined;
  const path = resolve(invocation.workingDirectory, given);
  const named = '--ready-file';
  await checkOutputFolder(dirname(path), { ...own, named });
  makeFolder(dirname(path), { from: named });
  return checkOutput(path, { ...own, named });
}

/** Prints the service's address, and serves until the program is stopped. */
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
  invocation.say(`The ${more === '' ? 'local service' : 'sandbox'} is running; Ctrl-C stops it.\n`);
  if (!invocation.signal.aborted) await once(invocation.signal, 'abort');
  return 0;
}
