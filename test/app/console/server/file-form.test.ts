import { buffer, text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { fileForm, filesOf } from '../../../../src/app/console/server/file-form.ts';
import { formOf } from '../../../../src/app/console/server/guard.ts';
import { toCrawlhouseError } from '../../../../src/core/errors/errors.ts';

const PERSON = { subject: 'ops', role: 'operator', csrf: 'b' } as const;

/** A route that answers with the fields and files of a form. */
async function route(mostBytes: number, person: typeof PERSON | null = PERSON) {
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  app.decorateRequest('person', null);
  app.addHook('onRequest', async (request) => {
    request.person = person;
  });
  fileForm(app, { path: '/files', mostBytes }, async (request, reply) => {
    const fields = Object.fromEntries(formOf(request));
    const files: [string, string, boolean][] = [];
    let message: string | null = null;
    try {
      for await (const { name, content, isCut } of filesOf(request) ?? [])
        files.push([name, await text(content), isCut()]);
    } catch (thrown) {
      message = toCrawlhouseError(thrown).message;
    }
    return reply.send({ fields, files, message });
  });
  await app.ready();
  const send = async (form: FormData, change: (bytes: Buffer) => Buffer = (bytes) => bytes) => {
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const payload = change(Buffer.from(await encoded.arrayBuffer()));
    return app.inject({ method: 'POST', url: '/files', headers: { 'content-type': type }, payload });
  };
  return { app, send };
}

function form(...files: readonly (readonly [name: string, content: string])[]): FormData {
  const body = new FormData();
  body.append('csrf', 'b');
  body.append('kind', 'logs');
  for (const [name, content] of files) body.append('file', new Blob([content]), name);
  return body;
}

test('the fields before the files are read first, then the files one after the other', async () => {
  const { send } = await route(1000);
  const body = form(['a.log', 'one'], ['b.log', '']);
  body.append('late', 'x');
  body.append('file', new Blob(['three']), 'c.log');
  expect((await send(body)).json()).toEqual({
    fields: { csrf: 'b', kind: 'logs' },
    files: [
      ['a.log', 'one', false],
      ['b.log', '', false],
      ['c.log', 'three', false],
    ],
    message: null,
  });
  expect((await send(form())).json()).toEqual({
    fields: { csrf: 'b', kind: 'logs' },
    files: [],
    message: null,
  });
});

test('a file that is too large is cut, and a body that is too large is not read', async () => {
  const { send } = await route(1000);
  expect((await send(form(['a', 'x'.repeat(1000)]))).json().files).toEqual([['a', 'x'.repeat(1000), false]]);
  expect((await send(form(['a', 'x'.repeat(1001)]))).json().files).toEqual([['a', 'x'.repeat(1000), true]]);
  const answer = await send(form(['a', 'x'.repeat(102_000)]));
  expect([answer.statusCode, answer.json().message]).toEqual([413, 'The files are larger than 1.0 kB.']);
});

test('of more than 20 files, the first 20 are received', async () => {
  const { send } = await route(1000);
  const names = Array.from({ length: 21 }, (_, index) => `${index}.log`);
  const answer = (await send(form(...names.map((name) => [name, 'x'] as const)))).json();
  expect([answer.files.length, answer.message]).toEqual([20, 'only the first 20 files were received']);
});

test('an upload that is cut off, and a form that cannot be read, are reported', async () => {
  const { app, send } = await route(1000);
  const cut = await send(form(['a', 'one'], ['b', 'two']), (bytes) =>
    bytes.subarray(0, bytes.indexOf('two')),
  );
  expect(cut.json().message).toMatch(/cut off|end of multipart data/);
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const odd = await app.inject({ method: 'POST', url: '/files', headers, payload: 'nothing' });
  expect([odd.statusCode, odd.json().message]).toEqual([400, 'The form cannot be read.']);
});

test('nothing of a stranger is read', async () => {
  const { send } = await route(1000, null);
  expect((await send(form(['a', 'one']))).json()).toMatchObject({ fields: {}, files: [] });
});

test('bytes that are still sent after the answer are received, so that the browser shows the answer', async () => {
  const { app } = await route(1000);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const encoded = new Response(form(['a', 'x'.repeat(3_000_000)]));
  const body = await buffer(encoded.body as ReadableStream);
  const type = encoded.headers.get('content-type') ?? '';
  const answer = await fetch(`${url}/files`, { method: 'POST', body, headers: { 'content-type': type } });
  expect(answer.status).toBe(413);
});
