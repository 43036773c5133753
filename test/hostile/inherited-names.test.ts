import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { assistantServer } from '../../src/app/mcp/assistant-tools.ts';
import { listenForAssistants } from '../../src/app/mcp/listen-for-assistants.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { loadSegmentations } from '../../src/etl/project/settings/segments.ts';
import { parseFieldMap } from '../../src/site/access-logs/formats/json-format.ts';
import { namedColumns } from '../../src/site/search-data/exports/named-columns.ts';
import { INHERITED_NAMES } from '../support/odd-requests.ts';
import { temporaryFolder } from '../support/temporary.ts';

const UNKNOWN = 'nosuchname';

/** What is thrown for a name, with the name itself left out, and what is said of near names. */
async function refusalOf(name: string, work: (name: string) => unknown): Promise<string> {
  try {
    return JSON.stringify(await work(name)).replaceAll(name, 'NAME');
  } catch (error) {
    return String(error).replaceAll(name, 'NAME');
  }
}

async function loadSegments(yaml: string): Promise<unknown> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'segments.yaml'), yaml);
  return (await loadSegmentations(folder)).map(({ name, segments }) => [
    name,
    segments.map((one) => one.name),
  ]);
}

const segments = (entry: string): string => `segmentations:\n- name: a\n  segments:\n  - ${entry}\n`;

test.each<readonly [string, (name: string) => unknown]>([
  ['columns of a table of demand', (name) => namedColumns(['query', 'page', name, 'clicks', 'impressions'])],
  ['fields of JSON logs', (name) => parseFieldMap(`${name}=a,time=t,status=s,url=u`)],
  ['keys of JSON logs', (name) => parseFieldMap(`time=${name},status=s,url=u`)],
  ['names of segments', (name) => loadSegments(segments(`{ name: ${name}, url: /a/ }`))],
  [
    'fields of a filter of segments',
    (name) => loadSegments(segments(`{ name: a, oql: { field: [${name}, gt, 5] } }`)),
  ],
  [
    'operators of a filter of segments',
    (name) => loadSegments(segments(`{ name: a, oql: { field: [depth, ${name}, 5] } }`)),
  ],
])('inherited names are treated as unknown: %s', async (_which, work) => {
  const expected = await refusalOf(UNKNOWN, work);
  for (const name of INHERITED_NAMES) expect(await refusalOf(name, work)).toBe(expected);
});

test('a key with an inherited name is refused in hand-written YAML', async () => {
  for (const name of [...INHERITED_NAMES, UNKNOWN])
    for (const yaml of [
      `${name}: 1\n`,
      segments(`{ name: a, url: /a/, ${name}: 1 }`),
      segments(`{ name: a, oql: { ${name}: 1 } }`),
    ])
      await expect(loadSegments(yaml), name).rejects.toMatchObject({ code: 'bad_segments' });
});

test('assistants get the same response for inherited names as for unknown ones', async () => {
  const readers = { catalog: async () => [], questions: async () => [], logger: silentLogger };
  const server = () => assistantServer(readers as never, '1');
  const listener = await listenForAssistants('127.0.0.1:0', 'token', server, silentLogger);
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: 'Bearer token' };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(listener.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  const own = (name: string) => JSON.parse(`{"${name}":"x"}`) as Record<string, string>;
  const asked: readonly ((name: string) => unknown)[] = [
    (name) => client.callTool({ name: 'describe_table', arguments: { table: name } }),
    (name) => client.callTool({ name: 'ask_question', arguments: { name } }),
    (name) => client.getPrompt({ name: 'weekly_review', arguments: own(name) }),
  ];
  // The library says `disabled` of some, and takes the argument `__proto__` away: all are refused.
  for (const name of [...INHERITED_NAMES, UNKNOWN]) {
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`Tool ${name} `);
    await expect(client.getPrompt({ name })).rejects.toThrow(`Prompt ${name} `);
    expect(await client.callTool({ name: 'describe_table', arguments: own(name) })).toMatchObject({
      isError: true,
    });
  }
  for (const work of asked) {
    const expected = await refusalOf(UNKNOWN, work);
    for (const name of INHERITED_NAMES) expect(await refusalOf(name, work)).toBe(expected);
  }
});
