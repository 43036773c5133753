import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { checkFolder, makeFolder } from '../../../core/files/make-folder.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { startSandbox } from '../../../service/local/start-sandbox.ts';
import type { Command } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { storeExports, storeOptions } from '../local/sandbox-stores.ts';

const MOST_OBJECTS = 1000;

export const sandboxStart: Command = {
  name: 'sandbox start',
  summary: 'the service, locally',
  positionals: { shown: '', most: 0 },
  flags: {
    port: { type: 'string', value: 'N', help: 'port on 127.0.0.1; 0 or none: a free one' },
    import: {
      type: 'string',
      multiple: true,
      value: 'DIR',
      help: "a folder with a crawl's <data_type>.jsonl and .fields.json",
    },
    generate: {
      type: 'string',
      multiple: true,
      value: 'SPEC',
      help: 'synthetic crawls: projects=1,crawls=3,pages=10000,links=200000,columns=120,seed=1',
    },
    faults: {
      type: 'string',
      value: 'FILE',
      help: 'the first faults, in the form of POST /_sandbox/faults',
    },
    state: {
      type: 'string',
      value: 'DIR',
      help: 'a folder for its data; without it, they are removed at the end',
    },
    'store-a-endpoint': {
      type: 'string',
      value: 'URL',
      help: 'a store like Google Cloud Storage to use instead of the built-in one',
    },
    'store-b-endpoint': {
      type: 'string',
      value: 'URL',
      help: 'a store like S3 instead of the built-in one; keys: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY',
    },
    'export-objects': {
      type: 'string',
      value: 'N',
      help: 'objects that a data export is written to; default 1',
    },
    'export-gzip': { type: 'boolean', help: 'compress data exports as csv and json (.gz)' },
    'allow-private': {
      type: 'boolean',
      help: 'crawls of websites and webhooks may reach private addresses, whatever the start URL',
    },
    'ready-file': {
      type: 'string',
      value: 'F',
      help: 'a file that gets one JSON document once the sandbox answers',
    },
  },
  async run(invocation) {
    const path = (text: string): string => resolve(invocation.workingDirectory, text);
    const faults = invocation.text('faults');
    const state = invocation.text('state');
    const readyFile = invocation.text('ready-file');
    if (readyFile !== undefined) makeFolder(dirname(path(readyFile)), { from: '--ready-file' });
    if (state !== undefined) checkFolder(path(state), '--state', false);
    await using sandbox = await startSandbox({
      port: wholeNumber(invocation, 'port', 0, 65_535) ?? 0,
      importDirs: invocation.texts('import').map(path),
      generate: [...invocation.texts('generate')],
      ...(faults === undefined ? {} : { faultsFile: path(faults) }),
      ...(state === undefined ? {} : { stateDir: path(state) }),
      ...storeOptions(invocation.text('store-a-endpoint'), invocation.text('store-b-endpoint'), process.env),
      exportObjects: wholeNumber(invocation, 'export-objects', 1, MOST_OBJECTS) ?? 1,
      exportGzip: invocation.has('export-gzip'),
      allowPrivate: invocation.has('allow-private'),
      logger: invocation.logger,
      signal: invocation.signal,
    });
    const document = `${stringifyJson(sandbox.ready, 2)}\n`;
    if (readyFile !== undefined) await writeFileAtomic(path(readyFile), document);
    if (invocation.has('json')) await invocation.write(document);
    else {
      await invocation.write(`export CRAWLHOUSE_BASE_URL=${sandbox.ready.base_url}\n`);
      await invocation.write(`export CRAWLHOUSE_ACCESS_TOKEN=${sandbox.ready.access_token}\n`);
      await invocation.write(storeExports(sandbox.ready));
      const { client_id, client_secret } = sandbox.ready.oauth;
      await invocation.write(
        `# OAuth2 application: client_id ${client_id}, client_secret ${client_secret}\n`,
      );
    }
    invocation.say('The sandbox answers; Ctrl-C ends it.\n');
    if (!invocation.signal.aborted) await once(invocation.signal, 'abort');
    return 0;
  },
};
