import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { FieldRecord } from '../../src/client/resources/fields.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import '../support/process-timeout.ts';

export type Json = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: Json;
}

export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  /** A text sent as it is. */
  readonly raw?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A sandbox with the requests of a test on it. */
export class Service {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  async ask(path: string, { method, body, raw, token, headers }: Asked = {}): Promise<Answer> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const bearer = token === undefined ? this.sandbox.accessToken : token;
    const answer = await request(`${this.sandbox.baseUrl}${path}`, {
      method: (method ?? (sent === undefined ? 'GET' : 'POST')) as 'GET',
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      status: answer.statusCode,
      headers: answer.headers,
      bytes,
      text: bytes.toString(),
      get json() {
        return JSON.parse(bytes.toString()) as Json;
      },
    };
  }

  api(path: string, asked: Asked = {}): Promise<Answer> {
    return this.ask(`/api/v2${path}`, asked);
  }

  /** The workspace's id. */
  async workspace(): Promise<string> {
    const [workspace] = (await this.api('/workspaces')).json.workspaces as Json[];
    return String(workspace?.id);
  }

  /** All crawls, the oldest first. */
  async crawls(): Promise<Json[]> {
    const answer = await this.api(
      `/workspaces/${await this.workspace()}/crawls?limit=1000&sort=created_at:asc`,
    );
    return answer.json.crawls as Json[];
  }

  async crawlId(index = 0): Promise<string> {
    return String((await this.crawls())[index]?.id);
  }

  search(crawlId: string, dataType: string, body: Json): Promise<Answer> {
    return this.api(`/data/crawl/${crawlId}/${dataType}`, { body });
  }

  export(crawlId: string, dataType: string, fileType: 'csv' | 'json', asked: Asked = {}): Promise<Answer> {
    const path = `/data/crawl/${crawlId}/${dataType}?export=true&file_type=${fileType}`;
    return this.api(path, { body: {}, ...asked });
  }

  fault(...faults: Json[]): Promise<Answer> {
    return this.ask('/_sandbox/faults', { body: faults });
  }
}

/** A sandbox for one test. */
export async function service(options: SandboxOptions = {}): Promise<Service> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return new Service(sandbox);
}

/** A sandbox for all tests of a file. */
export async function sharedService(options: SandboxOptions): Promise<Service> {
  const sandbox = await startSandbox(options);
  afterAll(() => sandbox.close());
  return new Service(sandbox);
}

const FILES = mkdtempSync(join(tmpdir(), 'crawlhouse-sandbox-test-'));
afterAll(() => rmSync(FILES, { recursive: true, force: true }));
let folders = 0;

/** A folder to import: for each data type its fields and its rows, as values or as lines of text. */
export async function importFolder(
  name: string,
  data: Readonly<
    Record<string, { fields: readonly Partial<FieldRecord>[]; rows: readonly (Json | string)[] }>
  >,
  crawl?: Json,
): Promise<string> {
  const dir = join(FILES, String(folders++), name);
  await mkdir(dir, { recursive: true });
  for (const [dataType, { fields, rows }] of Object.entries(data)) {
    const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
    writeFileSync(join(dir, `${dataType}.fields.json`), JSON.stringify({ fields }));
    writeFileSync(join(dir, `${dataType}.jsonl`), lines.map((line) => `${line}\n`).join(''));
  }
  if (crawl !== undefined) writeFileSync(join(dir, 'crawl.json'), JSON.stringify(crawl));
  return dir;
}

export function field(
  name: string,
  type: string,
  arity = 'one',
  more: Partial<FieldRecord> = {},
): FieldRecord {
  return { name, type, arity, can_display: true, can_filter: true, can_sort: arity === 'one', ...more };
}

/** The rows of semicolon CSV, an empty cell as null and `""` as an empty string. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      let cell = '';
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) throw new Error('a quote is not closed');
        cell += text[at];
        if (text[at] === '"') at++;
      }
      row.push(cell);
      at++;
    } else {
      const end = text.slice(at).search(/[;\n]/);
      if (end < 0) throw new Error('no final newline');
      row.push(end === 0 ? null : text.slice(at, at + end));
      at += end;
    }
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    } else if (text[at] !== ';') {
      throw new Error(`neither ; nor newline at ${at}`);
    } else if (text[at + 1] === '\n') {
      row.push(null);
      at++;
      rows.push(row);
      row = [];
    }
    at++;
  }
  return rows;
}

export function lines(text: string): string[] {
  if (!text.endsWith('\n')) throw new Error('no final newline');
  return text.slice(0, -1).split('\n');
}

/** An answer as an endpoint's contract reads it. */
export function parsed<R extends z.ZodType>(endpoint: { readonly response?: R }, json: unknown): z.output<R> {
  if (endpoint.response === undefined) throw new Error('the endpoint answers nothing');
  return endpoint.response.parse(json);
}
