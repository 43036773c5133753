import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { crawlId, putManyCrawls } from './many-crawls.ts';
import './process-timeout.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Settled long ago, so that the lists have several pages; what is old in them is archived, and never loaded. */
const OLD = 120;

/** A crawl or a comparison as its list has it. */
export interface Listed {
  readonly id: string;
  readonly project_id: string;
  readonly status: string;
  readonly end_reason?: string | null;
  readonly created_at: number;
}

/** What people and time do to the service while it is simulated, by chance alone; what they did is counted. */
export class ServiceLife implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly done: Record<string, number> = {};
  readonly #random: () => number;
  readonly #configs: readonly (readonly [project: string, config: string])[];
  readonly #later: { readonly at: number; readonly act: () => Promise<unknown> | undefined }[] = [];
  #workspace = '';

  private constructor(sandbox: Sandbox, random: () => number, configs: ServiceLife['configs']) {
    this.sandbox = sandbox;
    this.#random = random;
    this.#configs = configs;
  }

  get configs(): readonly (readonly [project: string, config: string])[] {
    return this.#configs;
  }

  /** Two sites: one crawled each week, one each fortnight and compared with the time before. */
  static async begin(stateDir: string, start: number, random: () => number): Promise<ServiceLife> {
    putManyCrawls(stateDir, OLD, start - DAY, 'archived');
    const sandbox = await startSandbox({
      stateDir,
      generate: ['projects=2,crawls=1,pages=3,columns=12,seed=5'],
    });
    const configs: [string, string][] = [];
    const life = new ServiceLife(sandbox, random, configs);
    await life.setClock(start);
    life.#workspace = (await life.list('/workspaces', 'workspaces'))[0]?.id ?? '';
    const projects = await life.list(`/workspaces/${life.#workspace}/projects`, 'projects');
    for (const [index, { id }] of projects.filter((one) => !`${one.name}`.includes('years')).entries()) {
      const path = `/projects/${id}/crawl_configs`;
      const { crawl_configs } = await life.ask<{ crawl_configs: { id: string }[] }>('GET', path);
      const { id: first, ...config } = crawl_configs[0] as { id: string; name: string };
      const more = {
        name: 'by hand',
        start_url: (config as { start_url?: string }).start_url,
        user_agent: 'a',
        max_speed: 1,
      };
      const made = await life.ask<{ crawl_config: { id: string } }>('POST', path, { crawl_config: more });
      configs.push([id, first], [id, made.crawl_config.id]);
      if (index === 1) await life.patch('crawl_configs', first, { trigger_coc: true });
      const recurrence = index === 0 ? 'week' : '2weeks';
      const scheduled_crawl = { config_id: first, recurrence, start_date: start + (index + 1) * DAY };
      await life.ask('POST', `/projects/${id}/scheduled_crawls`, { scheduled_crawl });
    }
    return life;
  }

  async setClock(now: number): Promise<void> {
    await this.#send('POST', '/_sandbox/clock', { now });
  }

  /** All crawls, or comparisons, that the service lists now. */
  async all(name: 'crawls' | 'crawl_over_crawls'): Promise<readonly Listed[]> {
    const page = await this.ask<Record<typeof name, Listed[]>>(
      'GET',
      `/workspaces/${this.#workspace}/${name}?limit=5000`,
    );
    return page[name];
  }

  /** What happens in some hours: mostly nothing; with a greater liveliness, more. */
  async live(now: number, liveliness: number): Promise<void> {
    for (const one of this.#later.filter(({ at }) => at <= now)) {
      this.#later.splice(this.#later.indexOf(one), 1);
      await one.act();
    }
    if (this.#random() > 0.09 * liveliness) return;
    const crawls = await this.all('crawls');
    const own = crawls.filter((one) => this.#configs.some(([project]) => project === one.project_id));
    const among = (...states: string[]): Listed | undefined => {
      const found = own.filter(({ status }) => states.includes(status));
      return found[Math.floor(this.#random() * found.length)];
    };
    const soon = (days: number): number => now + Math.ceil(this.#random() * days * 24) * HOUR;
    const finished = among('done');
    const happenings: [name: string, act: () => Promise<unknown> | undefined][] = [
      ['launched', () => this.#launch(soon)],
      ['launched', () => this.#launch(soon)],
      ['launched', () => this.#launch(soon)],
      ['archived', () => finished && this.patch('crawls', finished.id, { status: 'archived' })],
      ['brought back', () => this.#bringBack(among('archived'))],
      ['deleted', () => finished && this.#try('DELETE', `/crawls/${finished.id}`)],
      ['deleted, old', () => this.#deleteOld(crawls)],
      ['run again', () => finished && this.#runAgain(finished, soon(9))],
      ['resumed', () => this.#pilot(among('paused'), 'resume')],
    ];
    const [name, act] = happenings[Math.floor(this.#random() * happenings.length)] ?? [
      'nothing',
      () => undefined,
    ];
    if ((await act()) !== undefined) this.#count(name);
  }

  /** A crawl by hand: it ends soon, or is paused for days, cancelled, ended early; it may be dated years back. */
  async #launch(soon: (days: number) => number): Promise<unknown> {
    const [project, config] = this.#configs[Math.floor(this.#random() * this.#configs.length)] ?? ['', ''];
    const launched = await this.#try('POST', `/projects/${project}/launch-crawl?configId=${config}`);
    const crawl = (launched as { crawl?: Listed } | undefined)?.crawl;
    if (crawl === undefined) return undefined;
    const fate = this.#random();
    if (fate < 0.2) {
      await this.#pilot(crawl, 'pause');
      this.#count('paused');
      this.#later.push({ at: soon(20), act: () => this.#pilot(crawl, 'resume') });
    } else if (fate < 0.3) {
      await this.#pilot(crawl, 'cancel');
      this.#count('cancelled');
    } else if (fate < 0.4) {
      await this.#pilot(crawl, 'terminate');
      this.#count('ended early');
    } else if (fate < 0.5) {
      await this.patch('crawls', crawl.id, { created_at: crawl.created_at - 400 * DAY });
      this.#count('late');
    }
    return crawl;
  }

  async #runAgain(crawl: Listed, until: number): Promise<unknown> {
    await this.patch('crawls', crawl.id, { status: 'running', ended_at: null });
    const act = () => this.patch('crawls', crawl.id, { status: 'done', ended_at: until });
    this.#later.push({ at: until, act });
    return crawl;
  }

  #bringBack(crawl: Listed | undefined): Promise<unknown> | undefined {
    return crawl && this.patch('crawls', crawl.id, { status: 'done', link_status: 'live' });
  }

  #deleteOld(crawls: readonly Listed[]): Promise<unknown> | undefined {
    const old = crawls.find(({ id }) => id === crawlId(Math.floor(this.#random() * OLD)));
    return old && this.ask('DELETE', `/crawls/${old.id}`);
  }

  #pilot(crawl: Listed | undefined, command: string): Promise<unknown> | undefined {
    return crawl && this.#try('POST', `/crawls/${crawl.id}/pilot`, { command });
  }

  async list(path: string, key: string): Promise<readonly { id: string; [key: string]: unknown }[]> {
    const page = await this.ask<Record<string, { id: string }[]>>('GET', `${path}?limit=5000`);
    return page[key] ?? [];
  }

  patch(kind: string, id: string, change: object): Promise<unknown> {
    return this.#send('PATCH', `/_sandbox/${kind}/${id}`, change);
  }

  async ask<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    return (await this.#send(method, `/api/v2${path}`, body)) as T;
  }

  /** A command that comes too late, or for what is gone, is nobody's fault. */
  async #try(method: string, path: string, body?: object): Promise<unknown> {
    return this.ask(method, path, body).catch(() => undefined);
  }

  async #send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.sandbox.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.sandbox.accessToken}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? {} : response.json();
  }

  #count(name: string): void {
    this.done[name] = (this.done[name] ?? 0) + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
  }
}
