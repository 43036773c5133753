import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { assistantServer } from '../../../src/app/mcp/assistant-tools.ts';
import { listenForAssistants } from '../../../src/app/mcp/listen-for-assistants.ts';
import { MOST_BYTES, soundMessages } from '../../../src/app/mcp/refuse-message.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { seededRandom, testSeed } from '../../support/random.ts';

const ping = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

/** Texts, and the code and identifier that answer each; null where none does. */
const WRONG: readonly (
  | readonly [line: string | Buffer, code: number, id: unknown]
  | readonly [string, null]
)[] = [
  ['{nonsense', -32700, null],
  ["{'id': 1}", -32700, null],
  [`${ping('1')} ${ping('2')}`, -32700, null],
  ['\u{feff}{}', -32700, null],
  [Buffer.from([0xff, 0xfe, 0x7b]), -32700, null],
  [Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"ping"}', 'latin1'), -32700, null],
  ['['.repeat(100_000), -32700, null],
  ['[]', -32600, null],
  ['[1]', -32600, null],
  [`[${ping('1')},${ping('2')}]`, -32600, null],
  ['3', -32600, null],
  ['null', -32600, null],
  ['"ping"', -32600, null],
  ['{}', -32600, null],
  ['{"jsonrpc":"2.0","id":1}', -32600, 1],
  ['{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, 'a'],
  ['{"jsonrpc":2.0,"id":3,"method":"ping"}', -32600, 3],
  ['{"id":4,"method":"ping"}', -32600, 4],
  ['{"jsonrpc":"2.0","id":5,"method":7}', -32600, 5],
  ['{"jsonrpc":"2.0","method":1,"params":"bar"}', -32600, null],
  [ping('null'), -32600, null],
  [ping('{}'), -32600, null],
  [ping('[1]'), -32600, null],
  [ping('true'), -32600, null],
  [ping('1.5'), -32600, null],
  [ping('9007199254740993'), -32600, null],
  [ping('1e400'), -32600, null],
  ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":"x"}', -32602, 6],
  ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}', -32602, 7],
  ['{"jsonrpc":"2.0","id":"8","method":"tools/call","params":null}', -32602, '8'],
  ['{"jsonrpc":"2.0","method":"notifications/initialized","params":5}', null],
];

const isAnswered = (one: (typeof WRONG)[number]): one is readonly [string | Buffer, number, unknown] =>
  one[1] !== null;

/** What the lines let through, and what they are answered. */
async function filtered(bytes: Buffer, sizes: () => number) {
  const answers: unknown[] = [];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = sizes();
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  const sound = soundMessages((answer) => answers.push(JSON.parse(answer)));
  return { passed: await text(Readable.from(pieces).pipe(sound)), answers };
}

test('over stdin, an invalid message gets its error, however the stream is split', async () => {
  const random = seededRandom(testSeed());
  const sound = [ping('1'), '{"jsonrpc":"2.0","method":"nope"}', '{"jsonrpc":"2.0","id":"x","result":{}}'];
  const blank = ['', '  ', '\r'];
  const lines = [...WRONG.map(([line]) => line), ...sound, ...blank].toSorted(() => random() - 0.5);
  const bytes = Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), Buffer.from('\n')]));
  const { passed, answers } = await filtered(
    bytes.subarray(0, -1),
    () => 1 + Math.floor(random() ** 4 * 4000),
  );
  expect(
    passed
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
  ).toEqual([...sound].sort());
  const wanted = lines.flatMap((line) =>
    WRONG.filter(isAnswered)
      .filter(([wrong]) => wrong === line)
      .map(([, code, id]) => [code, id]),
  );
  expect(
    answers.map((one) => [(one as { error: { code: number } }).error.code, (one as { id: unknown }).id]),
  ).toEqual(wanted);
  for (const one of answers)
    expect(one).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
});

test('over stdin, an oversized message is refused and dropped, and the next one is read', async () => {
  const long = `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(MOST_BYTES)}"}`;
  const { passed, answers } = await filtered(Buffer.from(`${long}\n${ping('2')}\n${long}`), () => 65_536);
  expect(passed).toBe(`${ping('2')}\n`);
  expect(answers).toEqual(
    [1, 2].map(() => expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) })),
  );
});

test('over HTTP, an invalid message has status 400, and unknown methods and tools have their own errors', async () => {
  const unused = async (): Promise<never> => {
    throw new Error('not asked');
  };
  const readers = {
    select: unused,
    catalog: unused,
    questions: unused,
    lineage: unused,
    status: unused,
    prove: unused,
    logger: silentLogger,
  };
  const listener = await listenForAssistants(
    '127.0.0.1:0',
    'secret',
    () => assistantServer(readers, '1'),
    silentLogger,
  );
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const headers = {
    authorization: 'Bearer secret',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const post = async (body: string | Buffer<ArrayBuffer>) => {
    const response = await fetch(listener.url, { method: 'POST', headers, body });
    const answer = (await response.text()).replace(/^event: message\ndata: /, '');
    const { error, id, result } = JSON.parse(answer);
    return [response.status, error?.code, id, result] as const;
  };
  for (const [line, code, id] of WRONG.filter(isAnswered))
    expect([line, ...(await post(line as string))]).toEqual([line, 400, code, id, undefined]);
  const call = (id: number, method: string, params?: object) =>
    post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  expect(await call(1, 'nope')).toEqual([200, -32601, 1, undefined]);
  expect(await call(2, 'tools/call', { name: 'nope' })).toEqual([200, -32602, 2, undefined]);
  expect(await call(3, 'prompts/get', { name: 'weekly_review' })).toEqual([200, -32602, 3, undefined]);
  for (const limit of [-1, 0, 1e9, 1.5, 'abc', [5, 6], null]) {
    const [status, , , result] = await call(4, 'tools/call', {
      name: 'query',
      arguments: { sql: 'SELECT 1', limit },
    });
    expect([limit, status, result]).toEqual([
      limit,
      200,
      {
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('limit: a whole number from 1 to 1000') }],
      },
    ]);
  }
  const [huge] = await post(Buffer.alloc(MOST_BYTES + 1, 32));
  expect(huge).toBe(413);
});
