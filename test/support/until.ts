import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until there is an answer; one that does not come in time fails the test. */
export async function until<T>(ask: () => Promise<T | undefined>, timeoutMs = 120_000): Promise<T> {
  for (const latest = Date.now() + timeoutMs; Date.now() < latest; await sleep(10)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  throw new Error(`nothing came in ${timeoutMs} ms`);
}
