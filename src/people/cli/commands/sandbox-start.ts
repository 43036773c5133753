import { resolve } from 'node:path';
import { checkFolder } from '../../../core/files/make-folder.ts';
import { startSandbox } from '../../../service/local/sandbox/start-sandbox.ts';
import type { Command } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { storeExports, storeOptions } from '../local/sandbox-stores.ts';
import { readyFileOf, SERVICE_FLAGS, serveUntilStopped, serviceOptions } from '../local/serve-service.ts';

const MOST_OBJECTS = 1000;

export const sandboxStart: Command = {
  name: 'sandbox start',
  summary: 'the service for trying: generated data, faults, object stores',
  positionals: { shown: '', most: 0 },
  flags: {
    port: SERVICE_FLAGS.port,
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
    'allow-private': SERVICE_FLAGS['allow-private'],
    'ready-file': SERVICE_FLAGS['ready-file'],
  },
  async run(invocation) {
    const path = (text: string): string => resolve(invocation.workingDirectory, text);
    const faults = invocation.text('faults');
    const state = invocation.text('state');
    const readyFile = readyFileOf(invocation);
    if (state !== undefined) checkFolder(path(state), '--state', false);
    await using sandbox = await startSandbox({
      ...serviceOptions(invocation),
      importDirs: invocation.texts('import').map(path),
      generate: [...invocation.texts('generate')],
      ...(faults === undefined ? {} : { faultsFile: path(faults) }),
      ...(state === undefined ? {} : { stateDir: path(state) }),
      ...storeOptions(invocation.text('store-a-endpoint'), invocation.text('store-b-endpoint'), process.env),
      exportObjects: wholeNumber(invocation, 'export-objects', 1, MOST_OBJECTS) ?? 1,
      exportGzip: invocation.has('export-gzip'),
    });
    const { client_id, client_secret } = sandbox.ready.oauth;
    const more = `${storeExports(sandbox.ready)}# OAuth2 application: client_id ${client_id}, client_secret ${client_secret}\n`;
    return await serveUntilStopped(invocation, readyFile, sandbox.ready, more);
  },
};
