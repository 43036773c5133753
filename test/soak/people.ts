import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../src/client/webhook-signature.ts';
import type { SeenIncident } from './explain.ts';
import type { Scene } from './scene.ts';

const PAGES = ['/', '/index.json', '/projects', '/runs', '/operations', '/ask', '/audit', '/search?q=a'];
/** Milliseconds between two reads, from and to, and the longest read. */
const [FROM_MS, TO_MS, LONGEST_MS] = [2000, 8000, 60_000];
/** One read of so many is a query of the command line. */
const QUERY_EACH = 6;
const SQL = 'SELECT project_id, count(*) AS pages FROM mart.pages GROUP BY ALL ORDER BY ALL';

export interface Reads {
  readonly pages: number;
  readonly queries: number;
  readonly webhooks: number;
  readonly incidents: readonly SeenIncident[];
}

/** People read the console, query the warehouse, and webhooks and a monitor ask the schedule, until the signal. */
export async function readOn(scene: Scene, random: () => number, signal: AbortSignal): Promise<Reads> {
  const cookie = await signIn(scene);
  const reads = { pages: 0, queries: 0, webhooks: 0 };
  const incidents: SeenIncident[] = [];
  for (let turn = 1; !signal.aborted; turn++) {
    const from = Date.now();
    const path = PAGES[Math.floor(random() * PAGES.length)] ?? '/';
    const problem = turn % QUERY_EACH === 0 ? await query(scene) : await page(scene, path, cookie);
    if (problem !== undefined) incidents.push({ ...problem, source: 'people', from, to: Date.now() });
    if (turn % QUERY_EACH === 0) reads.queries++;
    else reads.pages++;
    if (await nudge(scene, turn)) reads.webhooks++;
    await sleep(FROM_MS + random() * (TO_MS - FROM_MS), undefined, { signal }).catch(() => {});
  }
  return { ...reads, incidents };
}

type Problem = Pick<SeenIncident, 'title' | 'code'> | undefined;

async function signIn({ console }: Scene): Promise<string> {
  const [link = ''] = /http:\S+/.exec(await readFile(console.log, 'utf8')) ?? [];
  const answer = await fetch(link, { redirect: 'manual' });
  await answer.body?.cancel();
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Reads a page of the console; one that cannot reach the ledger may answer 503. */
async function page({ console }: Scene, path: string, cookie: string): Promise<Problem> {
  const [, origin = ''] = /(http:\/\/[^/\s]+)/.exec(await readFile(console.log, 'utf8')) ?? [];
  try {
    const answer = await fetch(`${origin}${path}`, {
      headers: { cookie },
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    const said = await answer.text();
    if (answer.status < 400) return undefined;
    const title = `the console answers ${answer.status} to ${path}: ${said.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 300)}`;
    return { title, code: answer.status === 503 ? 'read' : `status ${answer.status}` };
  } catch (error) {
    return { title: `the console does not answer ${path}: ${(error as Error).message}`, code: 'read' };
  }
}

async function query(scene: Scene): Promise<Problem> {
  const { code, stderr } = await scene.command('query', SQL, '--format', 'json');
  return code === 0
    ? undefined
    : { title: `query ended with ${code}: ${stderr.slice(0, 300)}`, code: `exit ${code}` };
}

/** A signed webhook, as the service sends one for each crawl. @returns whether the schedule was there to take it */
async function nudge({ scheduleAddress, webhookSecret }: Scene, turn: number): Promise<boolean> {
  const body = JSON.stringify({ event: 'crawl_ended', turn });
  const headers = { [WEBHOOK_SIGNATURE_HEADER]: signWebhook(body, webhookSecret) };
  try {
    const url = `http://${scheduleAddress}`;
    const signal = AbortSignal.timeout(5000);
    const answer = await fetch(`${url}/webhook`, { method: 'POST', headers, body, signal });
    await answer.body?.cancel();
    const metrics = await fetch(`${url}/metrics`, { signal });
    await metrics.body?.cancel();
    return answer.status === 202;
  } catch {
    // The schedule is down or paused: the service would send it again.
    return false;
  }
}
