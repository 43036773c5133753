import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../src/core/logs/logger.ts';
import { type AssistantReaders, assistantServer } from '../../../src/people/mcp/assistant-tools.ts';
import { listenForAssistants } from '../../../src/people/mcp/listen-for-assistants.ts';

const TOKEN = 'token-of-the-assistant';

test('a tool that fails, answers with the identifier under which its cause is logged; so is a server that fails', async () => {
  const lines: string[] = [];
  const logger = createLogger('error', (line) => lines.push(line));
  const broken = async (): Promise<never> => {
    throw new Error('it failed', { cause: new Error('the ledger is gone') });
  };
  const desk: AssistantReaders = {
    select: broken,
    catalog: broken,
    questions: broken,
    status: broken,
    logger,
  };
  let fails = false;
  const serverFor = () => {
    if (fails) throw new Error('no server', { cause: new Error('out of sockets') });
    return assistantServer(desk, '1.0.0');
  };
  const listener = await listenForAssistants('127.0.0.1:0', TOKEN, serverFor, logger);
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const headers = { authorization: `Bearer ${TOKEN}` };
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(listener.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  const answer = await client.callTool({ name: 'status', arguments: {} });
  expect(answer.isError).toBe(true);
  const [, id] = /error_id ([0-9a-f]{8})/.exec(JSON.stringify(answer.content)) ?? [];
  expect(lines.splice(0)).toEqual([
    expect.stringMatching(new RegExp(`error_id=${id} .*tool=status .*the ledger is gone`)),
  ]);
  fails = true;
  const accept = 'application/json, text/event-stream';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const init = { method: 'POST', headers: { ...headers, accept, 'content-type': 'application/json' }, body };
  const failed = await fetch(listener.url, init);
  expect(failed.status).toBe(500);
  expect(lines).toEqual([expect.stringMatching(/error_id=[0-9a-f]{8} .*no server.*out of sockets/)]);
});
