import { createHash } from 'node:crypto';
import type { Decision } from './decisions.ts';
import type { Disk } from './disk.ts';
import { BUCKET } from './machine.ts';
import type { Oracle } from './oracle.ts';
import { broken } from './sim-postgres.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** A crawl of the service, from its start on. */
export interface SimCrawl {
  readonly id: string;
  readonly project: string;
  /** UTC milliseconds: from then on it is finished. */
  readonly endedAt: number;
  readonly rows: readonly string[];
}

interface SimExport {
  readonly id: string;
  readonly resource_id: string;
  readonly prefix: string;
  readonly record: Record<string, unknown>;
  readonly requestedAt: number;
  readonly doneAt: number;
  readonly fails: boolean;
  isWritten: boolean;
}

interface Request {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

const LONGEST_OUTAGE_MS = 60_000;
const WORKSPACE = 'w1';
export const WEBHOOK = 'http://receiver/alerts';

/** The service and the receiver of alerts, in memory. Answers follow the contract; what is asked is counted. */
export class SimService {
  readonly crawls: readonly SimCrawl[];
  awayUntil = 0;
  readonly #world: World;
  readonly #bucket: Disk;
  readonly #oracle: Oracle;
  readonly #exports: SimExport[] = [];

  constructor(world: World, bucket: Disk, oracle: Oracle) {
    this.#world = world;
    this.#bucket = bucket;
    this.#oracle = oracle;
    this.crawls = Array.from({ length: 1 + world.below(3) }, (_, index) => ({
      id: `c${index}`,
      project: `p${world.below(2)}`,
      endedAt: Math.floor(world.start + world.random() * 180_000),
      rows: Array.from({ length: world.below(4) }, (_row, row) => `c${index}/${row}:${world.below(1e6)}`),
    }));
  }

  finished(): readonly SimCrawl[] {
    return this.crawls.filter(({ endedAt }) => endedAt <= this.#world.now);
  }

  /** @throws an error of the connection, by the fault */
  answer(request: Request, fault: Decision | undefined, process: SimProcess): Response {
    const { now } = this.#world;
    if (fault?.fault === 'service away') this.awayUntil = now + 1000 + fault.amount * LONGEST_OUTAGE_MS;
    if (now < this.awayUntil) {
      this.#oracle.refused(process, request.path);
      throw broken('ECONNREFUSED', 'connect ECONNREFUSED');
    }
    if (fault?.fault === 'service error') {
      const status = [500, 503, 429, 502][Math.floor(fault.amount * 4)] ?? 500;
      return { status, text: JSON.stringify({ type: 'internal_error', message: 'planted' }) };
    }
    this.#oracle.answered(process, request.path);
    const found = this.#route(request);
    if (fault?.fault === 'answer lost') throw broken('ECONNRESET', 'the answer is lost');
    return { status: found.status ?? 200, text: JSON.stringify(found.body) };
  }

  #route({ origin, method, path, body }: Request): { readonly status?: number; readonly body: unknown } {
    if (origin === new URL(WEBHOOK).origin) {
      this.#oracle.received(JSON.parse(body));
      return { body: {} };
    }
    const [place = '', query = ''] = path.replace('/api/v2', '').split('?');
    const exported = /^\/workspaces\/w1\/data_exports(?:\/(\w+))?$/.exec(place);
    if (place === `/workspaces/${WORKSPACE}/crawls`)
      return { body: this.#list('crawls', this.#records(), query) };
    if (exported && method === 'POST') return { body: { data_export: this.#request(JSON.parse(body)) } };
    if (exported?.[1] !== undefined) {
      const one = this.#exports.find(({ id }) => id === exported[1]);
      if (one) return { body: { data_export: this.#recordOf(one) } };
    } else if (exported) {
      const resource = /(c\d+)/.exec(decodeURIComponent(query))?.[1];
      const fit = this.#exports.filter(({ resource_id }) => resource_id === resource);
      return {
        body: this.#list(
          'account',
          fit.map((one) => this.#recordOf(one)),
          query,
        ),
      };
    }
    const crawl = this.crawls.find(({ id }) => place.startsWith(`/data/crawl/${id}/`));
    if (crawl) {
      const urls = crawl.rows.map((url) => ({ url }));
      return { body: { meta: { total_hits: urls.length }, urls } };
    }
    return { status: 404, body: { type: 'resource_not_found', message: path } };
  }

  #records() {
    return this.crawls.map(({ id, project, endedAt }) => {
      const isDone = endedAt <= this.#world.now;
      return {
        id,
        project_id: project,
        status: isDone ? 'done' : 'running',
        created_at: this.#world.start,
        ended_at: isDone ? endedAt : null,
        end_reason: isDone ? 'ok' : null,
      };
    });
  }

  #list(key: string, all: readonly unknown[], query: string) {
    const given = new URLSearchParams(query);
    const [offset, limit] = [Number(given.get('offset') ?? 0), Number(given.get('limit') ?? 10)];
    return { meta: { offset, limit, total: all.length }, [key]: all.slice(offset, offset + limit) };
  }

  #request({ data_export }: { data_export: Record<string, unknown> }) {
    const id = `e${this.#exports.length}`;
    const resource_id = String(data_export.resource_id);
    const prefix = String((data_export.target_parameters as Record<string, unknown>).store_a_prefix);
    // Whoever stood still may ask late, or write over what the ledger has of another one's request.
    const hadPause = this.#world.happened.some(({ fault }) => fault === 'pause');
    this.#oracle.exportRequested({ id, resource_id, prefix }, hadPause);
    const one: SimExport = {
      id,
      resource_id,
      prefix,
      record: data_export,
      requestedAt: this.#world.now,
      doneAt: this.#world.now + 500 + this.#world.below(9000),
      fails: this.#world.random() < 0.15,
      isWritten: false,
    };
    this.#exports.push(one);
    return this.#recordOf(one);
  }

  #recordOf(one: SimExport) {
    const { now } = this.#world;
    const rows = this.crawls.find(({ id }) => id === one.resource_id)?.rows ?? [];
    const isOver = one.doneAt <= now;
    if (isOver && one.fails) this.#oracle.exportOver(one.id);
    if (isOver && !one.fails && !one.isWritten) {
      one.isWritten = true;
      this.#put(`${one.prefix}part-0.json`, rows.map((url) => `${JSON.stringify({ url })}\n`).join(''));
    }
    return {
      ...one.record,
      id: one.id,
      requested_at: Math.floor(one.requestedAt),
      output_row_count: isOver && !one.fails ? rows.length : null,
      status: !isOver ? 'EXPORTING' : one.fails ? 'FAILED' : 'DONE',
      export_failure_reason: isOver && one.fails ? 'planted' : null,
    };
  }

  #put(key: string, text: string): void {
    const path = `${BUCKET}/exports/${key}`;
    this.#bucket.makeFolder(path.slice(0, path.lastIndexOf('/')), true);
    const file = this.#bucket.files.get(path) ?? this.#bucket.create(path, 0o666);
    file.data = Buffer.from(text);
    file.durable = file.data;
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
