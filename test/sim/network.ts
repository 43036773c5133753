import type { Pool } from 'pg';
import { Dispatcher } from 'undici';
import { broken, Session, type SimPostgres } from './sim-postgres.ts';
import type { SimProcess } from './sim-process.ts';
import type { SimService } from './sim-service.ts';

/** What processes reach beyond their machines. */
export interface Network {
  readonly service: SimService;
  readonly postgres: SimPostgres;
}

/** The connections of a process. */
export function networkOf(process: SimProcess, { service, postgres }: Network) {
  return {
    http: new SimDispatcher(process, service),
    postgres: () => new SimPool(process, postgres) as unknown as Pool,
  };
}

/** HTTP without a socket, behind undici's own interface. */
class SimDispatcher extends Dispatcher {
  readonly #process: SimProcess;
  readonly #service: SimService;

  constructor(process: SimProcess, service: SimService) {
    super();
    this.#process = process;
    this.#service = service;
  }

  override dispatch(
    { method, path, origin, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    let isOver = false;
    const controller = {
      paused: false,
      aborted: false,
      reason: null as Error | null,
      pause() {},
      resume() {},
      abort(reason: Error) {
        if (isOver) return;
        isOver = true;
        this.aborted = true;
        this.reason = reason;
        handler.onResponseError?.(this as unknown as Dispatcher.DispatchController, reason);
      },
    };
    const own = controller as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(own, null);
    if (isOver) return true;
    const { world } = this.#process;
    const ms = 5 + world.random() * 80;
    const what = `${method} ${path}`;
    this.#process
      .operate(`http ${kindOf(String(method), path)}`, what, ms, (fault) => {
        const request = { method, origin: String(origin), path, body: typeof body === 'string' ? body : '' };
        return this.#service.answer(request, fault, this.#process);
      })
      .then(
        ({ status, text }) => {
          if (isOver) return;
          isOver = true;
          handler.onResponseStart?.(own, status, { 'content-type': 'application/json' }, '');
          handler.onResponseData?.(own, Buffer.from(text));
          handler.onResponseEnd?.(own, {});
        },
        (error: Error) => {
          if (isOver) return;
          isOver = true;
          handler.onResponseError?.(own, error);
        },
      );
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}

/** What a request is for: faults choose by it. */
function kindOf(method: string, path: string): string {
  if (path.startsWith('/alerts')) return 'alert';
  return method === 'POST' && path.endsWith('/data_exports') ? 'create' : 'ask';
}

/** As the pool of `pg`. */
class SimPool {
  readonly #process: SimProcess;
  readonly #server: SimPostgres;
  readonly #free: Session[] = [];

  constructor(process: SimProcess, server: SimPostgres) {
    this.#process = process;
    this.#server = server;
  }

  on(): this {
    return this;
  }

  async connect() {
    const known = this.#free.pop();
    if (known !== undefined && !known.isBroken) return clientOf(known, this.#free);
    await this.#process.operate('postgres connect', '', 1, (fault) => {
      if (fault) throw broken('ECONNRESET', 'connection lost');
      this.#server.refuseAway();
    });
    return clientOf(new Session(this.#process, this.#server), this.#free);
  }

  async query(sql: string, values: readonly unknown[]) {
    const client = await this.connect();
    let isWell = false;
    try {
      const answer = await client.query(sql, values);
      isWell = true;
      return answer;
    } finally {
      client.release(!isWell);
    }
  }

  async end(): Promise<void> {
    for (const session of this.#free.splice(0)) session.close();
  }
}

/** The object stands for the connection: the product remembers it. */
const CLIENTS = new WeakMap<Session, object>();

function clientOf(session: Session, free: Session[]) {
  const made = CLIENTS.get(session) ?? {
    query: (sql: string, values?: readonly unknown[]) => session.query(sql, values),
    release(isBroken: boolean) {
      if (isBroken) session.close();
      else free.push(session);
    },
  };
  CLIENTS.set(session, made);
  return made as {
    query(sql: string, values?: readonly unknown[]): ReturnType<Session['query']>;
    release(isBroken: boolean): void;
  };
}
